import { certain, type Evidence, type Inference, likely, unknown } from '../../probes/evidence.ts';
import { answersOf } from '../../probes/inferences.ts';
import type { RecordedExchange } from '../../probes/recorded-exchange.ts';
import { unfitting } from './fitting.ts';
import { listChange } from './list-change.ts';
import { countOf, idsOf, isSameSet, knownIdsOf } from './lists.ts';
import { offsetUnit } from './page-answers.ts';

/** The longest lists: of all, of users and of stores. Undefined where one of them may go on. */
function wholeLists(
  evidence: Evidence,
): { all: RecordedExchange; user: RecordedExchange; store: RecordedExchange } | undefined {
  const list = (query: string) => evidence.asked('listCustomers', query);
  const [all, moved] = [list('limit=1000'), list('limit=1000&offset=1')];
  const [user, store] = ['User', 'Store'].map((type) => list(`limit=1000&linked_source_type=${type}`));
  if (!all || !moved || !user || !store) return undefined;
  if ([all, moved, user, store].some(({ outcome }) => outcome.kind !== 'answered')) return undefined;
  const { answer: unit } = offsetUnit(evidence);
  const rest = unit === 'records' ? Math.max(0, countOf(all) - 1) : unit === 'pages' ? 0 : -1;
  const others = [user, store].every((one) => countOf(one) <= countOf(all));
  return countOf(moved) === rest && others ? { all, user, store } : undefined;
}

const notWhole = 'it is not known whether the longest pages hold all customers';

const sourcesDisjoint: Inference = (evidence) => {
  const list = (type: string) => evidence.asked('listCustomers', `linked_source_type=${type}`);
  const lists = wholeLists(evidence);
  const [user, store] = lists ? [lists.user, lists.store] : [list('User'), list('Store')];
  if (!user || !store || countOf(user) === 0 || countOf(store) === 0)
    return unknown('there are no customers of both sources to compare');
  const users = new Set(knownIdsOf(user));
  const common = knownIdsOf(store).some((id) => users.has(id));
  if (common) return listChange(evidence) ?? certain('no', user, store);
  if (!lists) return unknown(notWhole, user, store);
  const isKnown = [user, store].every((list) => knownIdsOf(list).length === countOf(list));
  return isKnown ? certain('yes', user, store) : unknown('a customer has no identity', user, store);
};

const sourcesUnion: Inference = (evidence) => {
  const lists = wholeLists(evidence);
  if (!lists) return unknown(notWhole);
  const { all, user, store } = lists;
  if (countOf(all) === 0) return unknown('no customer was listed', all);
  return isSameSet([...idsOf(user), ...idsOf(store)], idsOf(all))
    ? certain('yes', all, user, store)
    : unfitting(evidence, 'no', all, user, store);
};

const totalMatches: Inference = (evidence) => {
  const pages = answersOf(evidence, 'listCustomers').filter(
    ({ parameters }) => !parameters.has('linked_source_type'),
  );
  const totals = new Set(pages.flatMap(({ digest }) => digest?.totals ?? []));
  if (totals.size === 0) return likely('no total is announced', ...pages.slice(0, 1));
  const lists = wholeLists(evidence);
  if (!lists) return unknown(notWhole);
  const matches = totals.size === 1 && totals.has(countOf(lists.all));
  return matches ? certain('yes', lists.all) : unfitting(evidence, 'no', lists.all);
};

/** How the questions about lists as a whole are answered. */
export const wholeListAnswers: Record<string, Inference> = {
  'sources-disjoint': sourcesDisjoint,
  'sources-union': sourcesUnion,
  'total-matches': totalMatches,
};
