import { defaultChoices } from '../../../mock/choices.ts';
import { directoryOf } from '../../../mock/customers.ts';
import { operations, type Route } from '../../../mock/operations.ts';
import { customers } from '../../../mock/seed.ts';
import type { Alter, MockAnswer, MockRequest } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import { altering, dataOf, set } from '../harness/edits.ts';
import { free as freeFields } from '../proof/variants/records.ts';
import { type Fields, inTurn } from '../proof/variants/variant.ts';
import type { Canaries } from './canaries.ts';

/** A provider that knows every identifier and whose records `mark` has gone through. */
export const provider =
  (mark: (record: unknown, operation: string) => unknown): Alter =>
  (answer, request) => {
    const body = successFor(request);
    if (!body) return answer;
    const headers = { ...answer.headers, 'content-type': 'application/json' };
    return { ...answer, status: 200, headers, body: mark(body, request.operation ?? '') };
  };

const routes: readonly Route[] = operations;
const directory = directoryOf([0, 2, 9].flatMap((index) => customers[index] ?? []));

/** What the mock answers; of an identifier that it does not know, what it answers of the first that it knows. */
function successFor({ operation = 'listCustomers', parameters }: MockRequest): unknown {
  const route = routes.find((one) => one.operation === operation);
  const own = route?.answer(parameters, defaultChoices, directory);
  if (!route || own?.status === 200) return own?.body;
  const { parameters: documented = [] } = loadContract().operations.find(({ id }) => id === operation) ?? {};
  const named = documented.find((one) => one['x-identifiers'] && parameters[one.name] !== undefined);
  const { name = '', 'x-identifiers': variable = '' } = named ?? {};
  const { [name]: unknown } = parameters;
  const [known = ''] = route.identifiers?.[variable] ?? [];
  if (unknown === undefined) return undefined;
  const { body } = route.answer({ ...parameters, [name]: known }, defaultChoices);
  return JSON.parse(JSON.stringify(body).replaceAll(known, unknown));
}

/** A copy with each leaf replaced, as its name and what stands there demand. */
function mapLeaves(value: unknown, change: (leaf: unknown, name: string) => unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((element) => mapLeaves(element, change, name));
  if (typeof value !== 'object' || value === null) return change(value, name);
  return Object.fromEntries(
    Object.entries(value).map(([key, child]) => [key, mapLeaves(child, change, key)]),
  );
}

const nodes = loadContract().operations.flatMap(nodesOf);

/** Names of the fields that hold any text, or a word that the contract lists elsewhere. */
const free = new Set(freeFields.map(({ name }) => name));

/** Values that the contract lists. */
const listed = new Set(nodes.flatMap(({ schema }) => schema.enum ?? []));

/** Marks in the place of text that nobody has given a form. */
function marked(canaries: Canaries, leaf: unknown, name: string): unknown {
  return typeof leaf === 'string' && free.has(name) && !listed.has(leaf) ? canaries.text(name) : leaf;
}

/** Marks in all free text, and in undeclared fields and their names: the contract is kept. */
export const greenRecord = (canaries: Canaries) => (body: unknown) => ({
  ...(mapLeaves(body, (leaf, name) => marked(canaries, leaf, name)) as object),
  extra: canaries.text('extra'),
  [canaries.of('field name')]: [],
});

const text = (canaries: Canaries, name: string): string => canaries.text(name);

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

/** Headers of every answer, among them such as the suite reads. */
export function headersOf(canaries: Canaries): Record<string, string> {
  const names = ['server', 'etag', 'via', 'x-ratelimit-remaining', 'api-version', 'cache-control', 'x-owner'];
  return {
    ...Object.fromEntries(names.map((name) => [name, canaries.of(`header ${name}`)])),
    [`x-${canaries.of('name of a header')}`]: '1',
    'set-cookie': `session=${canaries.of('cookie')}; Path=/${canaries.of('path of the cookie')}`,
  };
}

/** Answers every request with a success. */
export const knowing = (canaries: Canaries): Alter => provider(greenRecord(canaries));

/** Answers every request with a success that breaks rules. */
export const breaking = (canaries: Canaries): Alter => provider(redRecord(canaries));

/** Knows the configured identifiers, and rejects all else by saying it back. */
export const echoing =
  (status: number) =>
  (canaries: Canaries): Alter =>
  (answer, request) => {
    const known = isKnown(canaries, answer, request);
    return known ? knowing(canaries)(answer, request) : { ...answer, ...echo(canaries, request), status };
  };

function isKnown(canaries: Canaries, { status }: MockAnswer, { parameters }: MockRequest): boolean {
  const { id, user_id } = parameters;
  return status === 200 || canaries.placesIn(id ?? user_id ?? '').length > 0;
}

/** Rejects everything by saying it back. */
export const echoingRejection =
  (status: number) =>
  (canaries: Canaries): Alter =>
  (answer, request) => ({ ...answer, ...echo(canaries, request), status });

/** All of a request, in headers and body. */
function echo(canaries: Canaries, request: MockRequest): Partial<MockAnswer> {
  const said = `GET ${request.path} ${JSON.stringify(request.headers)} ${canaries.text('error text')}`;
  const { raw, type } = /^get(Card|Customer)$/.test(request.operation ?? '')
    ? errorRecord(canaries, said)
    : errorPage(canaries, said);
  const headers = {
    ...headersOf(canaries),
    'content-type': type,
    'www-authenticate': `Basic realm="${canaries.of('realm')}"`,
    location: `https://${canaries.of('host')}.invalid/?token=${canaries.of('location')}`,
    'x-request': encodeURIComponent(said),
  };
  return { raw, headers };
}

const errorRecord = (canaries: Canaries, said: string) => ({
  type: 'application/json',
  raw: JSON.stringify({ code: 4000, message: said, [canaries.of('name of an error field')]: said }),
});

const errorPage = (canaries: Canaries, said: string) => ({
  type: `text/html; boundary=${canaries.of('boundary')}`,
  raw: `<!doctype html><title>${canaries.text('error page')}</title><pre>${said}</pre>`,
});

/** Redirects, breaks and cuts what it says. */
export const hostile =
  (canaries: Canaries): Alter =>
  (answer, request) => {
    const name = canaries.of('name that is there twice');
    const bodies: Record<string, string> = {
      getCard: `{"name":"${canaries.text('broken body')}`,
      getCustomer: `{"${name}":1,"${name}":2}`,
      getFeeRules: canaries.text('cut body').repeat(99),
    };
    const raw = bodies[request.operation ?? ''];
    // Without an offset a success, or nothing would look like the API.
    if (raw === undefined && !('offset' in request.parameters)) return knowing(canaries)(answer, request);
    if (raw === undefined) return { ...answer, ...echo(canaries, request), status: 302 };
    const headers = { ...headersOf(canaries), 'content-type': `text/${canaries.of('media type')}` };
    const sent = { ...answer, headers, status: 200, raw };
    return request.operation === 'getFeeRules' ? { ...sent, abort: 'middle' } : sent;
  };

/** Secrets that read like words. */
const wordings = ['API key in words', 'own cookie in words', 'password in words', 'signature in words'];

/** Puts every secret that reads like words, whole and cut, where words and names may be shown, in records that break rules. */
export const whispering = (canaries: Canaries): Alter => {
  const [key = '', cookie = '', password = '', signature = ''] = wordings.map((place) =>
    canaries.phrase(place),
  );
  const [half = '', rest = ''] = key.split('-');
  return inTurn(
    (answer, request) =>
      isKnown(canaries, answer, request)
        ? breaking(canaries)(answer, request)
        : { ...answer, status: 404, raw: JSON.stringify({ code: 404, [cookie]: key, [half]: rest }) },
    altering('getCard', set('data/card/status', key.toUpperCase())),
    altering('getCard', set('data/card/limits/0/period', half)),
    altering('getCard', set('data/card/limits/0/status', `${cookie}_x`)),
    altering('listCustomers', set(`data/${rest}`, 1)),
    altering('listCustomers', set(`${signature.replace('-', '_')}_count`, 1)),
    altering('getCustomer', set('data/customer/default_payment_token/token_type', password)),
    altering('getCustomer', set('data/customer/default_payment_token/state', key)),
    (answer, { operation }) => ({
      ...answer,
      headers: {
        ...answer.headers,
        [`x-${signature}-total`]: '1',
        'content-type':
          operation === 'getFeeRules' ? `text/${password.replace('-', '+')}` : 'application/json',
      },
    }),
  );
};

/** Hands out a token, and knows everything. */
export const bearing =
  (canaries: Canaries): Alter =>
  (answer, request) => {
    if (request.method !== 'POST') return knowing(canaries)(answer, request);
    const headers = { 'content-type': 'application/json' };
    return { status: 200, headers, body: { access_token: canaries.of('bearer token'), expires_in: 3600 } };
  };

/** Never comes to an answer. */
export const unanswered = (): Alter => (answer) => ({ ...answer, delayMs: 60_000 });

/** Edits each success of an operation. */
const editing = <T>(operation: string, edit: (data: T) => void): Alter =>
  altering(operation, (answer) => {
    edit(dataOf<T>(answer));
    return answer;
  });

/** How many requirements `contradicting` breaks. */
export const contradictions = 4;

/** Each answer keeps its rules, and they contradict each other; both sides hold marks. */
export const contradicting = (canaries: Canaries): Alter =>
  inTurn(
    provider(greenRecord(canaries)),
    editing<{ card: Fields }>('getCard', ({ card }) => {
      card.reference_id = uuid(canaries, 'a reference that changes');
    }),
    editing<{ customers: Fields[] }>('listCustomers', ({ customers }) => {
      const [first, , third] = customers;
      const reference_number = canaries.text('reference number of another');
      if (first && third) Object.assign(third, { uuid: first.uuid, reference_number });
    }),
    editing<{ customer: Fields }>('getCustomer', ({ customer }) => {
      customer.reference_number = canaries.text('another reference number');
    }),
    editing<{ fee_rules: Fields[] }>('getFeeRules', ({ fee_rules }) => {
      for (const rule of fee_rules) rule.user_id = canaries.text('another user');
    }),
  );
