import { certain, type Evidence, type Inference, likely, unknown } from '../../../probes/evidence.ts';
import { answersOf } from '../../../probes/inferences.ts';
import type { RecordedExchange } from '../../../probes/recorded-exchange.ts';
import { unfitting } from './fitting.ts';
import { listChange } from './list-change.ts';
import { countOf, idsOf, isSameSet, knownIdsOf, sizeOf } from './lists.ts';
import { offsetUnit } from './offset-unit.ts';

/** The longest list without a source, where the page behind it shows that it holds all customers. */
export function wholeList(evidence: Evidence): RecordedExchange | undefined {
  const list = (query: string) => evidence.asked('listCustomers', query);
  const [all, moved] = [list('limit=1000'), list('limit=1000&offset=1')];
  if (all?.outcome.kind !== 'answered' || moved?.outcome.kind !== 'answered') return undefined;
  const { answer: unit } = offsetUnit(evidence);
  const rest = unit === 'records' ? Math.max(0, countOf(all) - 1) : unit === 'pages' ? 0 : -1;
  return countOf(moved) === rest ? all : undefined;
}

/** The longest lists of users and of stores, and whether a longer page was had with the same limit, so that neither was cut. */
function listsOfSources(evidence: Evidence) {
  const list = (type: string) => evidence.asked('listCustomers', `limit=1000&linked_source_type=${type}`);
  const [user, store] = [list('User'), list('Store')];
  if (user?.outcome.kind !== 'answered' || store?.outcome.kind !== 'answered') return undefined;
  const pages = answersOf(evidence, 'listCustomers').filter(
    ({ parameters }) => parameters.get('limit') === '1000',
  );
  const longest = Math.max(...pages.map(countOf));
  return { user, store, areWhole: [user, store].every((one) => countOf(one) < longest) };
}

const notWhole = 'it is not known whether the longest pages hold all customers';

const sourcesDisjoint: Inference = (evidence) => {
  const list = (type: string) => evidence.asked('listCustomers', `linked_source_type=${type}`);
  const lists = listsOfSources(evidence);
  const [user, store] = lists ? [lists.user, lists.store] : [list('User'), list('Store')];
  if (!user || !store || countOf(user) === 0 || countOf(store) === 0)
    return unknown('there are no customers of both sources to compare');
  const users = new Set(knownIdsOf(user));
  const common = knownIdsOf(store).some((id) => users.has(id));
  if (common) return listChange(evidence) ?? certain('no', user, store);
  const longest = lists?.areWhole ? Infinity : countOf(wholeList(evidence));
  if (!lists || [user, store].some((one) => countOf(one) > longest)) return unknown(notWhole, user, store);
  const isKnown = [user, store].every((one) => knownIdsOf(one).length === countOf(one));
  if (!isKnown) return unknown('a customer has no identity', user, store);
  return (lists.areWhole ? certain : likely)('yes', user, store);
};

const sourcesUnion: Inference = (evidence) => {
  const [all, lists] = [wholeList(evidence), listsOfSources(evidence)];
  if (!all || !lists) return unknown(notWhole);
  const { user, store, areWhole } = lists;
  if (countOf(all) === 0) return unknown('no customer was listed', all);
  const [whole, parts] = [idsOf(all), [...idsOf(user), ...idsOf(store)]];
  if (isSameSet(parts, whole)) return (areWhole ? certain : likely)('yes', all, user, store);
  // What one source alone shows is not in the whole list, however much of that source is not shown.
  const hasOthers = sizeOf([...whole, ...parts]) > sizeOf(whole);
  return hasOthers || areWhole
    ? unfitting(evidence, 'no', all, user, store)
    : unknown(notWhole, all, user, store);
};

const totalMatches: Inference = (evidence) => {
  const pages = answersOf(evidence, 'listCustomers').filter(
    ({ parameters }) => !parameters.has('linked_source_type'),
  );
  const totals = new Set(pages.flatMap(({ digest }) => digest?.totals ?? []));
  if (totals.size === 0) return likely('no total is announced', ...pages.slice(0, 1));
  const all = wholeList(evidence);
  if (!all) return unknown(notWhole);
  const matches = totals.size === 1 && totals.has(countOf(all));
  return matches ? certain('yes', all) : unfitting(evidence, 'no', all);
};

/** How the questions about lists as a whole are answered. */
export const wholeListAnswers: Record<string, Inference> = {
  'sources-disjoint': sourcesDisjoint,
  'sources-union': sourcesUnion,
  'total-matches': totalMatches,
};
