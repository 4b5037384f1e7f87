import { valueAt } from '../../../schemas/json.ts';
import { type Answered, certain, type Evidence, type Inference, likely, unknown } from '../evidence.ts';
import type { Heard } from '../heard.ts';
import { answersOf, plainly, probed } from '../outcome.ts';

/** Identities of the customers of an answer, in its order. */
export function idsOf(heard: Heard | undefined): string[] {
  const customers = valueAt(heard?.body, '/data/customers');
  return Array.isArray(customers) ? customers.map((one) => JSON.stringify(valueAt(one, '/uuid') ?? one)) : [];
}

export const plainList = ({ asked }: Evidence) => asked('listCustomers');

/** Pages of the whole list, not narrowed to a source. */
const pagesOf = (evidence: Evidence) =>
  answersOf(evidence, 'listCustomers').filter(({ parameters }) => !parameters.has('linked_source_type'));

/** How many customers the list is known to have, at least. */
const population = (evidence: Evidence) => new Set(pagesOf(evidence).flatMap(idsOf)).size;

function longestOf(pages: Heard[]): Heard | undefined {
  const [longest] = pages.toSorted((one, other) => idsOf(other).length - idsOf(one).length);
  return longest;
}

const notReached = 'not reached by this list';

const defaultPageSize: Inference = (evidence) => {
  const page = plainList(evidence);
  if (!page) return unknown(evidence.gap);
  const size = idsOf(page).length;
  if (size === 0) return plainly(page) ?? unknown('the list is empty', page);
  return population(evidence) > size ? certain(String(size), page) : likely(notReached, page);
};

const greatestPageSize: Inference = (evidence) => {
  const asked = evidence.probe('longest-page');
  const longest = longestOf(pagesOf(evidence));
  if (!asked) return unknown(evidence.gap);
  if (!longest || idsOf(longest).length === 0) return unknown('the list is empty', asked);
  const size = idsOf(longest).length;
  if (population(evidence) === size) return likely(notReached, longest);
  const cut = size < Number(longest.parameters.get('limit') ?? 0);
  return (cut ? certain : likely)(String(size), longest, asked);
};

const limitHonoured = probed('limit-honoured', (heard, evidence) => {
  if (idsOf(heard).length !== 1) return certain('no', heard);
  return population(evidence) > 1 ? certain('yes', heard) : unknown('there is but one customer', heard);
});

const offsetUnit: Inference = (evidence) => {
  const [page, moved] = [plainList(evidence), evidence.asked('listCustomers', 'offset=1')];
  if (!page || !moved) return unknown(evidence.gap);
  const [ids, [first]] = [idsOf(page), idsOf(moved)];
  if (ids.length < 2) return plainly(page) ?? unknown('a page holds less than two customers', page);
  if (first === ids[0]) return certain('nothing', page, moved);
  if (first === ids[1]) return certain('records', page, moved);
  return plainly(moved) ?? unitBeyond(ids, first, [page, moved]);
};

/** The moved page holds nothing of the first: another page, or none when one page was all. */
function unitBeyond(ids: string[], first: string | undefined, heard: Heard[]): Answered {
  if (first === undefined) return likely('pages', ...heard);
  return ids.includes(first)
    ? unknown('the order of the list has changed', ...heard)
    : certain('pages', ...heard);
}

const orderStability: Inference = (evidence) => {
  const pages = pagesOf(evidence);
  const longest = longestOf(pages);
  const order = idsOf(longest);
  const common = (page: Heard) => idsOf(page).filter((id) => order.includes(id));
  const shared = pages.filter((page) => page !== longest && common(page).length > 1);
  if (!longest || shared.length === 0) return unknown('no two pages have customers in common');
  const wrong = shared.find((page) => !isSorted(common(page).map((id) => order.indexOf(id))));
  return wrong ? certain('no', longest, wrong) : likely('yes, within a run', longest, ...shared.slice(0, 3));
};

const isSorted = (places: number[]) =>
  places.every((place, index) => index === 0 || place > (places[index - 1] ?? 0));

const repeated = probed('repeated-parameter', (heard, evidence) => {
  const size = idsOf(heard).length;
  if (population(evidence) < 3) return unknown('there are too few customers to tell', heard);
  return certain(size === 1 ? 'the first' : size === 2 ? 'the last' : 'neither', heard);
});

const beyond = (id: string) =>
  probed(id, (heard) => certain(idsOf(heard).length === 0 ? 'an empty list' : 'customers', heard));

/** Fields and headers that announce how many there are. */
const announcing = /^(x-)?(total|count)(-[a-z]+)*$|^[a-z-]*-(total|count)$|^content-range$|^link$/;
const announcingField = /^(total|count|page|pages|has_more|next|next_page|total_[a-z]+|[a-z]+_count)$/;

const totalAnnounced: Inference = (evidence) => {
  const pages = answersOf(evidence, 'listCustomers');
  if (pages.length === 0) return unknown('no list was answered');
  const names = new Set(pages.flatMap(announcements));
  return likely(names.size > 0 ? [...names].sort().join(', ') : 'no', ...pages.slice(0, 1));
};

function announcements({ answer, body }: Heard): string[] {
  const headers = 'blocked' in answer ? [] : Object.keys(answer.headers ?? {});
  const fields = ['', '/data'].flatMap((at) => Object.keys(valueAt(body, at) ?? {}));
  return [
    ...headers.filter((name) => announcing.test(name)).map((name) => `header ${name}`),
    ...fields.filter((name) => announcingField.test(name)).map((name) => `field ${name}`),
  ];
}

export const pages: Record<string, Inference> = {
  'default-page-size': defaultPageSize,
  'greatest-page-size': greatestPageSize,
  'limit-honoured': limitHonoured,
  'offset-unit': offsetUnit,
  'order-stability': orderStability,
  'repeated-parameter': repeated,
  'beyond-the-end': beyond('beyond-the-end'),
  'limit-huge': beyond('limit-huge'),
  'total-announced': totalAnnounced,
};
