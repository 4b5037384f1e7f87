import {
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  likely,
  notReached,
  unknown,
} from '../../probes/evidence.ts';
import { answersOf, describeNonSuccess, probed } from '../../probes/inferences.ts';
import type { RecordedExchange } from '../../probes/recorded-exchange.ts';
import { listChange } from './list-change.ts';
import { countOf, identitiesOf, idsOf, isFromBeginning, isSame, knownIdsOf, plainList } from './lists.ts';

/** Pages of the whole list, not narrowed to a source. */
const pagesOf = (evidence: Evidence) =>
  answersOf(evidence, 'listCustomers').filter(({ parameters }) => !parameters.has('linked_source_type'));

/** How many customers the list is known to have, at least. */
function population(evidence: Evidence): number {
  const pages = pagesOf(evidence);
  return Math.max(new Set(pages.flatMap(knownIdsOf)).size, countOf(longestOf(pages)));
}

function longestOf(pages: RecordedExchange[]): RecordedExchange | undefined {
  const [longest] = pages.toSorted((one, other) => countOf(other) - countOf(one));
  return longest;
}

const defaultPageSize: Inference = (evidence) => {
  const page = plainList(evidence);
  if (!page) return unknown(evidence.notAskedReason);
  const size = countOf(page);
  if (size === 0) return describeNonSuccess(page) ?? unknown('the list is empty', page);
  return population(evidence) > size
    ? (listChange(evidence) ?? certain(String(size), page))
    : likely(notReached, page);
};

/** What was asked for from the beginning with a limit as any client may send it, or none. */
const ordinaryPages = ({ recorded }: Evidence) =>
  recorded.filter(
    (one) =>
      isFromBeginning(one) &&
      one.outcome.kind !== 'unreadable' &&
      /^\d{0,4}$/.test(one.parameters.get('limit') ?? ''),
  );

const greatestPageSize: Inference = (evidence) => {
  const asked = evidence.probe('longest-page');
  const longest = longestOf(answersOf({ recorded: ordinaryPages(evidence) }, 'listCustomers'));
  if (!asked) return unknown(evidence.notAskedReason);
  if (asked.outcome.kind === 'unreadable') return unknown(asked.outcome.label, asked);
  if (!longest || countOf(longest) === 0) return unknown('the list is empty', asked);
  const words = lengthInWords(evidence, countOf(longest));
  return words === notReached
    ? likely(notReached, longest)
    : (listChange(evidence) ?? likely(words, longest, asked));
};

/** A limit between two that were tried may be accepted, and so may one beyond all of them. */
function lengthInWords(evidence: Evidence, size: number): string {
  const pages = ordinaryPages(evidence);
  const limitsOf = (some: RecordedExchange[]) => some.map(limitOf).filter((limit) => limit >= size);
  const accepted = limitsOf(pages.filter((page) => countOf(page) === size));
  const isCut = accepted.some((limit) => limit > size);
  if (population(evidence) === size && (isCut || accepted.length === 0)) return notReached;
  const most = Math.min(...limitsOf(pages.filter((page) => countOf(page) < size))) - 1;
  if (isCut || most <= size) return String(size);
  return most < Infinity ? `between ${size} and ${most}` : `at least ${size}`;
}

const limitOf = ({ parameters }: RecordedExchange) => Number(parameters.get('limit'));

const limitAccepted = probed('limit-honoured', (recorded, evidence) => {
  if (countOf(recorded) !== 1) return certain('no', recorded);
  return population(evidence) > 1 ? certain('yes', recorded) : unknown('there is but one customer', recorded);
});

/** What `offset` counts. */
export const offsetUnit: Inference = (evidence) => {
  const [page, moved] = [plainList(evidence), evidence.asked('listCustomers', 'offset=1')];
  if (!page || !moved) return unknown(evidence.notAskedReason);
  if (countOf(page) < 2)
    return describeNonSuccess(page) ?? unknown('a page holds less than two customers', page);
  return describeNonSuccess(moved) ?? listChange(evidence) ?? unitOf(evidence, page, moved);
};

function unitOf(evidence: Evidence, page: RecordedExchange, moved: RecordedExchange): InferredAnswer {
  const recorded = [page, moved];
  const [[begin, next], [first]] = [identitiesOf(page), idsOf(moved, 1)];
  // The moved page may be empty when one page was all.
  if (first === undefined) return likely('pages', ...recorded);
  if (first === begin) return certain('nothing', ...recorded);
  if (first === next) return certain('records', ...recorded);
  return idsOf(page).includes(first) || orderStability(evidence).answer === 'no'
    ? unknown('the order of the list has changed', ...recorded)
    : certain('pages', ...recorded);
}

/** Two pages that show customers in another order, or else what shows that there are none. */
function disorder(evidence: Evidence): {
  longest?: RecordedExchange;
  wrong?: RecordedExchange;
  shared: RecordedExchange[];
} {
  const pages = pagesOf(evidence);
  const longest = longestOf(pages);
  const shared = pages.filter((page) => page !== longest && commonPlaces(page, longest).length > 1);
  const wrong = shared.find((page) => !isInOrder(page, longest));
  return { shared, ...(longest ? { longest } : {}), ...(wrong ? { wrong } : {}) };
}

/** Pages to ask for again, one after the other, where they show customers in another order. */
export function pagesInDisorder(evidence: Evidence): RecordedExchange[] {
  const { longest, wrong } = disorder(evidence);
  return longest && wrong ? [longest, wrong] : [];
}

/** Whether pages show what they have in common in the same order. */
export const orderStability: Inference = (evidence) => {
  const { longest, wrong, shared } = disorder(evidence);
  if (!longest || shared.length === 0) return unknown('no two pages have customers in common');
  if (!wrong) return likely('yes, within a run', longest, ...shared.slice(0, 3));
  const [first, second] = [evidence.again(longest), evidence.again(wrong)];
  const isSettled =
    first && second && isInOrder(first, second) && [longest, wrong].some((page) => isInOrder(page, first));
  return isSettled
    ? unknown('a customer has changed places while the list was requested', longest, wrong)
    : certain('no', longest, wrong);
};

const isInOrder = (page: RecordedExchange, other: RecordedExchange | undefined) =>
  isSorted(commonPlaces(page, other));

/** Where the customers of a page stand in another one. */
function commonPlaces(page: RecordedExchange, other: RecordedExchange | undefined): number[] {
  const places = placesOf(knownIdsOf(other));
  return [...placesOf(knownIdsOf(page)).keys()].flatMap((id) => places.get(id) ?? []);
}

/** Where each customer stands; one that is listed twice stands nowhere. */
function placesOf(ids: string[]): Map<string, number> {
  const places = new Map(ids.map((id, place) => [id, place]));
  for (const [place, id] of ids.entries()) if (places.get(id) !== place) places.delete(id);
  return places;
}

const isSorted = (places: number[]) =>
  places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));

const repeated = probed('repeated-parameter', (recorded, evidence) => {
  const size = countOf(recorded);
  if (population(evidence) < 3) return unknown('there are too few customers to infer this from', recorded);
  return certain(size === 1 ? 'the first' : size === 2 ? 'the last' : 'neither', recorded);
});

const pastTheEnd = (id: string) =>
  probed(id, (recorded) => certain(countOf(recorded) === 0 ? 'an empty list' : 'customers', recorded));

const totalAnnounced: Inference = (evidence) => {
  const pages = answersOf(evidence, 'listCustomers');
  if (pages.length === 0) return unknown('no list was answered');
  const drafts = pages.flatMap(({ digest }) => digest?.announcements ?? []);
  const names = new Set(drafts.map(evidence.disclosure.render));
  return likely(names.size > 0 ? [...names].sort().join(', ') : 'no', ...pages.slice(0, 1));
};

const trailingSlash = probed('trailing-slash', (recorded, evidence) => {
  const plain = plainList(evidence);
  if (plain !== undefined && isSame(idsOf(plain), idsOf(recorded))) return certain('the same', recorded);
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
  'beyond-the-end': pastTheEnd('beyond-the-end'),
  'limit-huge': pastTheEnd('limit-huge'),
  'total-announced': totalAnnounced,
  'trailing-slash': trailingSlash,
};
