import { defaultChoices } from '../../../mock/choices.ts';
import { operations, type Route } from '../../../mock/operations.ts';
import { customers } from '../../../mock/seed.ts';
import type { Alter, MockAnswer, MockRequest } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import { altering, set } from '../harness/edits.ts';
import { directoryOf } from '../harness/provider.ts';
import { free as freeFields } from '../proof/variants/records.ts';
import { inTurn } from '../proof/variants/variant.ts';
import type { Canaries } from './canaries.ts';

/** What a target does whose every value is a canary. */
export type Canary = (canaries: Canaries) => Alter;

/** A value in the place of one that a record has. */
type Mark = (leaf: unknown, name: string, index: number) => unknown;

const routes: readonly Route[] = operations;
const contract = loadContract();
const directory = directoryOf([0, 2, 9].flatMap((index) => customers[index] ?? []));

/** What the mock answers; of an identifier that it does not know, what it answers of the first that it knows. */
function successFor({ operation = 'listCustomers', parameters }: MockRequest): unknown {
  const route = routes.find((one) => one.operation === operation);
  const own = route?.answer(parameters, defaultChoices, directory);
  if (!route || own?.status === 200) return own?.body;
  const documented = contract.operations.find(({ id }) => id === operation)?.parameters ?? [];
  const named = documented.find((one) => one['x-identifiers'] && parameters[one.name] !== undefined);
  if (!named) return undefined;
  const [known = ''] = route.identifiers?.[named['x-identifiers'] ?? ''] ?? [];
  const { body } = route.answer({ ...parameters, [named.name]: known }, defaultChoices);
  const asked = JSON.stringify(parameters[named.name] ?? '').slice(1, -1);
  return JSON.parse(JSON.stringify(body).replaceAll(known, () => asked));
}

/** Knows every identifier; each value of its records is what `mark` makes of it. */
function provider(mark: Mark, beside: () => object = () => ({})): Alter {
  return (answer, request) => {
    const body = successFor(request);
    if (!body) return answer;
    let index = 0;
    const marked = JSON.parse(JSON.stringify(body), (name, value) =>
      name === 'code' || (typeof value === 'object' && value) ? value : mark(value, name, index++),
    );
    const headers = { ...answer.headers, 'content-type': 'application/json' };
    return { ...answer, status: 200, headers, body: { ...marked, ...beside() } };
  };
}

const free = new Set(freeFields.map(({ name }) => name));
const listed = new Set(contract.operations.flatMap(nodesOf).flatMap(({ schema }) => schema.enum ?? []));

/** Marks in all free text, and in undeclared fields and their names: the contract is kept. */
export const knowing: Canary = (canaries) =>
  provider(
    (leaf, name) => (free.has(name) && !listed.has(leaf) ? canaries.text(name) : leaf),
    () => ({ extra: canaries.text('extra'), [canaries.of('field name')]: [] }),
  );

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

/** Marks of every type in turn, in the place of every value. */
export const breaking: Canary = (canaries) => {
  const forms: ((name: string) => unknown)[] = [
    (name) => canaries.text(name),
    (name) => digits(canaries, `digits of ${name}`),
    (name) => uuid(canaries, `UUID of ${name}`),
    (name) => [canaries.of(`element of ${name}`)],
    (name) => ({ [canaries.of(`name in ${name}`)]: canaries.of(`value in ${name}`) }),
  ];
  return provider((_, name, index) => forms[index % forms.length]?.(name));
};

/** Marks in the place of every value; all but one operation still claim a success. */
export const wrecked: Canary = (canaries) =>
  inTurn(
    provider((_, name) => canaries.text(name)),
    altering('getFeeRules', set('code', canaries.text('code'))),
  );

/** Headers of every answer, among them such as the suite reads. */
export function headersOf(canaries: Canaries): Record<string, string> {
  const names = ['server', 'etag', 'via', 'x-ratelimit-remaining', 'api-version', 'cache-control', 'x-owner'];
  return {
    ...Object.fromEntries(names.map((name) => [name, canaries.of(`header ${name}`)])),
    [`x-${canaries.of('name of a header')}`]: '1',
    'set-cookie': `session=${canaries.of('cookie')}; Path=/${canaries.of('path of the cookie')}`,
    'www-authenticate': `Basic realm="${canaries.of('realm')}"`,
  };
}

/** Rejects everything by saying it back, in headers and body. */
export const rejecting =
  (status: number): Canary =>
  (canaries) =>
  (answer, { path, headers, operation }) => {
    const said = `GET ${path} ${JSON.stringify(headers)} ${canaries.text('error text')}`;
    const isRecord = /^get(Card|Customer)$/.test(operation ?? '');
    const raw = isRecord
      ? JSON.stringify({ code: 4000, message: said, [canaries.of('name of an error field')]: said })
      : `<!doctype html><title>${canaries.text('error page')}</title><pre>${said}</pre>`;
    const sent = {
      ...headersOf(canaries),
      'content-type': isRecord ? 'application/json' : `text/html; boundary=${canaries.of('boundary')}`,
      location: `https://${canaries.of('host')}.invalid/?token=${canaries.of('location')}`,
      'x-request': encodeURIComponent(said),
    };
    return { ...answer, headers: sent, status, raw };
  };

const isKnown = (canaries: Canaries, { status }: MockAnswer, { parameters }: MockRequest): boolean =>
  status === 200 || canaries.placesIn(Object.values(parameters).join('\n')).length > 0;

/** Knows the configured identifiers, and rejects all else. */
export const echoing =
  (status: number, known: Canary = knowing): Canary =>
  (canaries) =>
  (answer, request) =>
    (isKnown(canaries, answer, request) ? known : rejecting(status))(canaries)(answer, request);

/** Redirects, breaks and cuts what it says. */
export const hostile: Canary = (canaries) => (answer, request) => {
  const name = canaries.of('name that is there twice');
  const bodies: Record<string, string> = {
    getCard: `{"name":"${canaries.text('broken body')}`,
    getCustomer: `{"${name}":1,"${name}":2}`,
    getFeeRules: canaries.text('cut body').repeat(99),
  };
  const raw = bodies[request.operation ?? ''];
  // Without an offset a success, or nothing would look like the API.
  if (raw === undefined)
    return ('offset' in request.parameters ? rejecting(302) : knowing)(canaries)(answer, request);
  const headers = { ...headersOf(canaries), 'content-type': `text/${canaries.of('media type')}` };
  const sent = { ...answer, headers, status: 200, raw };
  return request.operation === 'getFeeRules' ? { ...sent, abort: 'middle' } : sent;
};

/** Puts secrets that read like words, whole, cut and in other letters, wherever words and names may be shown. */
export const whispering: Canary = (canaries) => {
  const [key, cookie, password, signature] = ['API key', 'own cookie', 'password', 'signature'].map((name) =>
    canaries.phrase(`${name} in words`),
  ) as [string, string, string, string];
  const [half = '', rest = ''] = key.split('-');
  const said = [key.toUpperCase(), half, `${cookie}_x`, password, key];
  const records = provider(
    (_, _name, index) => said[index % said.length],
    () => ({ [cookie]: key, [rest]: 1, [`${signature.replace('-', '_')}_count`]: 1 }),
  );
  return (answer, request) => {
    const isFeeRule = request.operation === 'getFeeRules';
    const type = isFeeRule ? `text/${password.replace('-', '+')}` : 'application/json';
    const headers = { ...answer.headers, [`x-${signature}-total`]: '1', 'content-type': type };
    if (!isKnown(canaries, answer, request))
      return {
        ...answer,
        headers,
        status: 404,
        raw: JSON.stringify({ code: 404, [cookie]: key, [half]: rest }),
      };
    return { ...records(answer, request), headers };
  };
};

/** Each answer keeps its rules, and they contradict each other; both sides hold marks. */
export const contradicting: Canary = (canaries) => {
  const twin = uuid(canaries, 'uuid of two customers');
  const text = (place: string) => canaries.text(place);
  return inTurn(
    knowing(canaries),
    altering('getCard', (...of) =>
      set('data/card/reference_id', uuid(canaries, 'a reference that changes'))(...of),
    ),
    altering('listCustomers', set('data/customers/0/uuid', twin)),
    altering('listCustomers', set('data/customers/2/uuid', twin)),
    altering('listCustomers', set('data/customers/2/reference_number', text('reference number of another'))),
    altering('getCustomer', set('data/customer/reference_number', text('another reference number'))),
    altering('getFeeRules', set('data/fee_rules/0/user_id', text('another user'))),
  );
};
