import { defaultChoices } from '../../../mock/choices.ts';
import { operations, type Route } from '../../../mock/operations.ts';
import { cards, customers, feeRules } from '../../../mock/seed.ts';
import type { Alter, MockRequest } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import type { Canaries } from './canaries.ts';

/** A provider that knows every identifier and whose records `mark` has gone through. */
export const provider =
  (mark: (record: unknown, operation: string) => unknown): Alter =>
  (answer, request) => {
    const rejected = request.operation === 'getFeeRules' && !('user_id' in request.parameters);
    if (rejected && request.parameters.type === 'user') return answer;
    const data = dataFor(request);
    if (!data) return { ...answer, body: mark(answer.body, request.operation ?? '') };
    const body = { code: 200, message: 'success', data };
    const headers = { ...answer.headers, 'content-type': 'application/json' };
    return { ...answer, status: 200, headers, body: mark(body, request.operation ?? '') };
  };

function dataFor(request: MockRequest): Record<string, unknown> | undefined {
  const { operation, parameters } = request;
  const [whole] = customers;
  const { id, user_id } = parameters;
  if (operation === 'getCard') return { card: { ...cards[0], id } };
  if (operation === 'getCustomer') return { customer: { ...customerOf(id), uuid: id } };
  if (operation === 'getFeeRules') return { fee_rules: rulesOf(user_id) };
  const listed = [whole?.customer, customers[2]?.customer, customers[9]?.customer];
  return operation === undefined || operation === 'listCustomers'
    ? { customers: listed }
    : firstRecord(request);
}

/** The first record that the mock has for an operation, under the identifier that is requested. */
function firstRecord({ operation, parameters }: MockRequest): Record<string, unknown> | undefined {
  const route: Route | undefined = operations.find((one) => one.operation === operation);
  const [[known = ''] = []] = Object.values(route?.identifiers ?? {});
  const [[name, requested = ''] = ['']] = Object.entries(parameters);
  const text = JSON.stringify(route?.answer({ [name]: known }, defaultChoices).body ?? {});
  return JSON.parse(text.replaceAll(known, requested)).data;
}

/** Whatever a list shows, a lookup shows too. */
const customerOf = (id?: string) =>
  (customers.find(({ customer }) => customer.uuid === id) ?? customers[0])?.customer;

const rulesOf = (user_id?: string) =>
  feeRules.users
    .values()
    .next()
    .value?.map((rule) => ({ ...rule, ...(user_id ? { user_id } : {}) }));

/** A copy with each leaf replaced, as its name and what stands there demand. */
function mapLeaves(value: unknown, change: (leaf: unknown, name: string) => unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((element) => mapLeaves(element, change, name));
  if (typeof value !== 'object' || value === null) return change(value, name);
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, mapLeaves(child, change, key)]),
  );
}

const free =
  /^(message|title|type|status|settlement_currency|name|email|phone|reference_number|default_payment_method|token|state|error_code|error_msg|number|exp_month|exp_year|holder_name|brand|billing_currency|business_id)$/;

/** Values that the contract lists. */
const listed = new Set(
  loadContract()
    .operations.flatMap(nodesOf)
    .flatMap(({ schema }) => schema.enum ?? []),
);

/** Marks in the place of text that nobody has given a form. */
function marked(canaries: Canaries, leaf: unknown, name: string): unknown {
  if (typeof leaf !== 'string' || !free.test(name) || listed.has(leaf)) return leaf;
  return name === 'reference_number' ? steady(canaries, leaf, name) : canaries.text(name);
}

const marks = new WeakMap<Canaries, Map<string, string>>();

/** The same mark wherever the same value stood: what two answers must agree on. */
function steady(canaries: Canaries, leaf: string, name: string): string {
  const own = marks.get(canaries) ?? new Map<string, string>();
  marks.set(canaries, own);
  const mark = own.get(leaf) ?? canaries.text(name);
  own.set(leaf, mark);
  return mark;
}

/** Marks in all free text, and in undeclared fields and their names: the contract is kept. */
export const greenRecord = (canaries: Canaries) => (body: unknown) => ({
  ...(mapLeaves(body, (leaf, name) => marked(canaries, leaf, name)) as object),
  extra: canaries.text('extra'),
  [canaries.of('field name')]: [],
});

/** Values that break the contract, by operation and field; each holds a mark. */
const broken: Record<string, Record<string, (canaries: Canaries, name: string) => unknown>> = {
  getCard: {
    ...every('first_6_digits p_created_at physical_status used_amount', text),
    ...every('title type', digits),
    id: (canaries) => uuid(canaries, 'the id of another card'),
  },
  listCustomers: { ...every('dial_code token_type', text), ...every('phone token', digits) },
  getCustomer: {
    email: (canaries) => [canaries.of('element')],
    holder_name: (canaries) => ({ [canaries.of('name inside')]: canaries.of('value inside') }),
  },
  getFeeRules: { ...every('fixed_fee', text) },
};

/** How many requirements `redRecord` breaks, at least. */
export const breachCount = Object.values(broken).flatMap(Object.keys).length;

function every<T>(names: string, value: T): Record<string, T> {
  return Object.fromEntries(names.split(' ').map((name) => [name, value]));
}

function text(canaries: Canaries, name: string): string {
  return canaries.text(name);
}

/** A JSON number of as many digits as a card number has. */
function digits(canaries: Canaries, place: string): number {
  const value = `4${Array.from({ length: 14 }, () => 1 + canaries.below(9)).join('')}`;
  return Number(canaries.known(place, value));
}

/** An identifier in UUID form that is a mark. */
export function uuid(canaries: Canaries, place: string): string {
  const hex = (count: number) =>
    Array.from({ length: count }, () => canaries.below(16).toString(16)).join('');
  return canaries.known(place, `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`);
}

/** Marks in all records, and `broken` wherever it applies. */
export const redRecord = (canaries: Canaries) => (body: unknown, operation: string) =>
  mapLeaves(body, (leaf, name) => {
    const wrong = typeof leaf === 'string' ? broken[operation]?.[name] : undefined;
    return wrong ? wrong(canaries, name) : marked(canaries, leaf, name);
  });

/** Marks in the place of every value there is; all but one operation still claim a success. */
export const wreckedRecord = (canaries: Canaries) => (body: unknown, operation: string) =>
  mapLeaves(body, (leaf, name) =>
    name === 'code' && operation !== 'getFeeRules' ? leaf : canaries.text(name),
  );
