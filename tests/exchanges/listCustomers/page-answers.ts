import {
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  likely,
  unknown,
} from '../../probes/evidence.ts';
import { answersOf, countIn, describeNonSuccess, idsIn, probed } from '../../probes/outcome.ts';
import type { RecordedExchange } from '../../probes/recorded-exchange.ts';

/** Identities of the customers of an answer, in its order, as far as they are kept. */
export const idsOf = (recorded: RecordedExchange | undefined) => idsIn('customers', recorded);

const countOf = (recorded: RecordedExchange | undefined) => countIn('customers', recorded);

/** The list without any parameter. */
export const plainList = ({ asked }: Evidence) => asked('listCustomers');

/** Pages of the whole list, not narrowed to a source. */
const pagesOf = (evidence: Evidence) =>
  answersOf(evidence, 'listCustomers').filter(({ parameters }) => !parameters.has('linked_source_type'));

/** How many customers the list is known to have, at least. */
function population(evidence: Evidence): number {
  const pages = pagesOf(evidence);
  return Math.max(new Set(pages.flatMap(idsOf)).size, countOf(longestOf(pages)));
}

function longestOf(pages: RecordedExchange[]): RecordedExchange | undefined {
  const [longest] = pages.toSorted((one, other) => countOf(other) - countOf(one));
  return longest;
}

const notReached = 'not reached by this list';

const defaultPageSize: Inference = (evidence) => {
  const page = plainList(evidence);
  if (!page) return unknown(evidence.notAskedReason);
  const size = countOf(page);
  if (size === 0) return describeNonSuccess(page) ?? unknown('the list is empty', page);
  return population(evidence) > size ? certain(String(size), page) : likely(notReached, page);
};

const greatestPageSize: Inference = (evidence) => {
  const asked = evidence.probe('longest-page');
  const longest = longestOf(pagesOf(evidence));
  if (!asked) return unknown(evidence.notAskedReason);
  if (!longest || countOf(longest) === 0) return unknown('the list is empty', asked);
  const size = countOf(longest);
  if (population(evidence) === size) return likely(notReached, longest);
  const cut = size < Number(longest.parameters.get('limit') ?? 0);
  return (cut ? certain : likely)(String(size), longest, asked);
};

const limitAccepted = probed('limit-honoured', (recorded, evidence) => {
  if (countOf(recorded) !== 1) return certain('no', recorded);
  return population(evidence) > 1 ? certain('yes', recorded) : unknown('there is but one customer', recorded);
});

/** What `offset` counts. */
export const offsetUnit: Inference = (evidence) => {
  const [page, moved] = [plainList(evidence), evidence.asked('listCustomers', 'offset=1')];
  if (!page || !moved) return unknown(evidence.notAskedReason);
  const [ids, [first]] = [idsOf(page), idsOf(moved)];
  if (ids.length < 2)
    return describeNonSuccess(page) ?? unknown('a page holds less than two customers', page);
  if (first === ids[0]) return certain('nothing', page, moved);
  if (first === ids[1]) return certain('records', page, moved);
  return describeNonSuccess(moved) ?? unitBeyond(ids, first, [page, moved]);
};

/** The moved page holds nothing of the first: another page, or none when one page was all. */
function unitBeyond(ids: string[], first: string | undefined, recorded: RecordedExchange[]): InferredAnswer {
  if (first === undefined) return likely('pages', ...recorded);
  return ids.includes(first)
    ? unknown('the order of the list has changed', ...recorded)
    : certain('pages', ...recorded);
}

/** Whether pages show what they have in common in the same order. */
export const orderStability: Inference = (evidence) => {
  const pages = pagesOf(evidence);
  const longest = longestOf(pages);
  const places = placesOf(idsOf(longest));
  const common = (page: RecordedExchange) =>
    [...placesOf(idsOf(page)).keys()].flatMap((id) => places.get(id) ?? []);
  const shared = pages.filter((page) => page !== longest && common(page).length > 1);
  if (!longest || shared.length === 0) return unknown('no two pages have customers in common');
  const wrong = shared.find((page) => !isSorted(common(page)));
  return wrong ? certain('no', longest, wrong) : likely('yes, within a run', longest, ...shared.slice(0, 3));
};

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

const beyond = (id: string) =>
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
  const alike = plain !== undefined && idsOf(plain).join() === idsOf(recorded).join();
  return certain(alike ? 'the same' : 'an answer of its own', recorded);
});

/** How the questions about pages are answered. */
export const pageAnswers: Record<string, Inference> = {
  'default-page-size': defaultPageSize,
  'greatest-page-size': greatestPageSize,
  'limit-honoured': limitAccepted,
  'offset-unit': offsetUnit,
  'order-stability': orderStability,
  'repeated-parameter': repeated,
  'beyond-the-end': beyond('beyond-the-end'),
  'limit-huge': beyond('limit-huge'),
  'total-announced': totalAnnounced,
  'trailing-slash': trailingSlash,
};
