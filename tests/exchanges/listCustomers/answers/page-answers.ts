import {
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  likely,
  shortList,
  unknown,
} from '../../../probes/evidence.ts';
import { answersOf, describeNonSuccess, probed } from '../../../probes/inferences.ts';
import type { RecordedExchange } from '../../../probes/recorded-exchange.ts';
import { listChange } from './list-change.ts';
import {
  countOf,
  idsOf,
  isFromBeginning,
  isSame,
  knownIdsOf,
  limitOf,
  longestOf,
  pagesOf,
  plainList,
  population,
} from './lists.ts';
import { greatestPageSize } from './longest-page.ts';
import { offsetUnit } from './offset-unit.ts';
import { orderStability } from './order.ts';

const defaultPageSize: Inference = (evidence) => {
  const page = plainList(evidence);
  if (!page) return unknown(evidence.notAskedReason);
  const size = countOf(page);
  if (size === 0) return describeNonSuccess(page) ?? unknown('the list is empty', page);
  return population(evidence) > size
    ? (listChange(evidence) ?? certain(String(size), page))
    : shortList(page);
};

const limitAccepted = probed('limit-honoured', (recorded, evidence) => {
  if (countOf(recorded) !== 1) return limitUnapplied(recorded, evidence);
  return population(evidence) > 1 ? certain('yes', recorded) : unknown('there is but one customer', recorded);
});

/** A limit of 1 may only be too small. */
function limitUnapplied(recorded: RecordedExchange, evidence: Evidence): InferredAnswer {
  const [plain, pages] = [plainList(evidence), pagesOf(evidence)];
  if (countOf(longestOf(pages)) === 0) return unknown('the list is empty', recorded);
  const applied = pages.find(
    (page) => isFromBeginning(page) && countOf(page) === limitOf(page) && countOf(page) !== countOf(plain),
  );
  return applied
    ? unknown('a limit of 1 is not applied, though another one is', recorded, applied)
    : certain('no', recorded);
}

const repeated = probed('repeated-parameter', (recorded, evidence) => {
  const [size, plain] = [countOf(recorded), plainList(evidence)];
  if (size === countOf(plain) && size < 3) return unknown('a page without a limit is as long', recorded);
  if (population(evidence) < 3) return unknown('there are too few customers to infer this from', recorded);
  return certain(size === 1 ? 'the first' : size === 2 ? 'the last' : 'neither', recorded);
});

const beyondTheEnd = probed('beyond-the-end', (recorded, evidence) => {
  if (population(evidence) === 0) return unknown('the list is empty', recorded);
  if (countOf(recorded) === 0) return certain('an empty list', recorded);
  // Others may stand there in a list that is as long as that.
  const known = new Set(pagesOf(evidence).flatMap((page) => (page === recorded ? [] : knownIdsOf(page))));
  return idsOf(recorded).every((id) => known.has(id))
    ? certain('customers', recorded)
    : unknown('it is not known whether the list ends before', recorded);
});

const hugeLimit = probed('limit-huge', (recorded, evidence) => {
  if (countOf(recorded) > 0) return certain('customers', recorded);
  return countOf(plainList(evidence)) > 0
    ? certain('an empty list', recorded)
    : unknown('the list is empty', recorded);
});

const totalAnnounced: Inference = (evidence) => {
  const pages = answersOf(evidence, 'listCustomers');
  if (pages.length === 0) return unknown('no list was answered');
  // Some announce the next page alone.
  const all = population(evidence);
  if (pagesOf(evidence).every((page) => countOf(page) === all))
    return unknown('no page leaves customers out', ...pages.slice(0, 1));
  const drafts = pages.flatMap(({ digest }) => digest?.announcements ?? []);
  const names = new Set(drafts.map(evidence.disclosure.render));
  return likely(names.size > 0 ? [...names].sort().join(', ') : 'no', ...pages.slice(0, 1));
};

const trailingSlash = probed('trailing-slash', (recorded, evidence) => {
  const plain = plainList(evidence);
  if (!plain || countOf(plain) === 0) return unknown('there is no list to compare it with', recorded);
  if (isSame(idsOf(plain), idsOf(recorded))) return certain('the same', recorded);
  return listChange(evidence) ?? certain('an answer of its own', recorded);
});

/** How the questions about pages are answered. */
export const pageAnswers: Record<string, Inference> = {
  'default-page-size': defaultPageSize,
  'greatest-page-size': greatestPageSize,
  'limit-honoured': limitAccepted,
  'offset-unit': offsetUnit,
  'order-stability': orderStability,
  'repeated-parameter': repeated,
  'beyond-the-end': beyondTheEnd,
  'limit-huge': hugeLimit,
  'total-announced': totalAnnounced,
  'trailing-slash': trailingSlash,
};
