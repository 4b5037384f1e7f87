import { defaultChoices } from '../../../mock/choices.ts';
import { operations, type Route } from '../../../mock/operations.ts';
import { customers } from '../../../mock/seed.ts';
import type { Alter, MockRequest, MockResponse } from '../../../mock/server.ts';
import { loadContract, type Parameter } from '../../../schemas/contract/contract.ts';
import { listNodes } from '../../../schemas/contract/nodes.ts';
import { altering, inTurn, set } from '../harness/edits.ts';
import { createCustomerStore } from '../harness/provider.ts';
import { freeTextFields as freeFields } from '../proof/variants/records.ts';
import type { Canaries } from './canaries.ts';

export type CreateTarget = (canaries: Canaries) => Alter;

/** Returns the value to send in place of `leaf`, a value in the field `name` of a record. */
type Mark = (leaf: unknown, name: string, index: number) => unknown;

const routes: readonly Route[] = operations;
const contract = loadContract();
const store = createCustomerStore([0, 2, 9].flatMap((index) => customers[index] ?? []));

/** Returns the body of a success, also if the mock does not know the identifier; undefined for a wrong request without one. */
function createSuccess({ operation = 'listCustomers', parameters }: MockRequest): unknown {
  const route = routes.find((candidate) => candidate.operation === operation);
  const mockAnswer = route?.handle(parameters, defaultChoices, store);
  if (!route || mockAnswer?.status === 200) return mockAnswer?.body;
  const documentedParameters = contract.operations.find(({ id }) => id === operation)?.parameters ?? [];
  const identifierParameter = documentedParameters.find(
    (parameter) => parameter['x-identifiers'] && parameters[parameter.name] !== undefined,
  );
  return identifierParameter && replaceKnownIdentifier(route, parameters, identifierParameter);
}

/** Returns the success for an identifier that the mock knows, with the requested identifier in its place. */
function replaceKnownIdentifier(
  route: Route,
  parameters: MockRequest['parameters'],
  { name, 'x-identifiers': variable = '' }: Parameter,
): unknown {
  const [knownIdentifier = ''] = route.identifiers?.[variable] ?? [];
  const { body } = route.handle({ ...parameters, [name]: knownIdentifier }, defaultChoices);
  const escapedIdentifier = JSON.stringify(parameters[name] ?? '').slice(1, -1);
  return JSON.parse(JSON.stringify(body).replaceAll(knownIdentifier, () => escapedIdentifier));
}

/** Creates a change of the mock that answers requests for any identifier with a success. `mark` replaces each value but `code`. */
function createAlter(mark: Mark, createExtraFields: () => object = () => ({})): Alter {
  return (response, request) => {
    const body = createSuccess(request);
    if (!body) return response;
    let leafCount = 0;
    const markedBody = JSON.parse(JSON.stringify(body), (name, value) => {
      const isLeaf = typeof value !== 'object' || value === null;
      if (!isLeaf || name === 'code') return value;
      leafCount += 1;
      return mark(value, name, leafCount - 1);
    });
    const headers = { ...response.headers, 'content-type': 'application/json' };
    return { ...response, status: 200, headers, body: { ...markedBody, ...createExtraFields() } };
  };
}

const freeFieldNames = new Set(freeFields.map(({ name }) => name));
const enumValues = new Set(contract.operations.flatMap(listNodes).flatMap(({ schema }) => schema.enum ?? []));

/** Target that conforms to the contract, with canaries in all free text, and as names and values of undeclared fields. */
export const knowing: CreateTarget = (canaries) =>
  createAlter(
    (leaf, name) => (freeFieldNames.has(name) && !enumValues.has(leaf) ? canaries.text(name) : leaf),
    () => ({ extra: canaries.text('extra'), [canaries.of('field name')]: [] }),
  );

function createDigits(canaries: Canaries, label: string): number {
  const value = `4${Array.from({ length: 14 }, () => 1 + canaries.below(9)).join('')}`;
  return Number(canaries.known(label, value));
}

export function createUuid(canaries: Canaries, label: string): string {
  const hex = (count: number) =>
    Array.from({ length: count }, () => canaries.below(16).toString(16)).join('');
  return canaries.known(label, `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`);
}

/** Target that sends canaries of alternating types, such as strings and numbers, instead of every value. */
export const breaking: CreateTarget = (canaries) => {
  const forms: ((name: string) => unknown)[] = [
    (name) => canaries.text(name),
    (name) => createDigits(canaries, `digits of ${name}`),
    (name) => createUuid(canaries, `UUID of ${name}`),
    (name) => [canaries.of(`element of ${name}`)],
    (name) => ({ [canaries.of(`name in ${name}`)]: canaries.of(`value in ${name}`) }),
  ];
  return createAlter((_, name, index) => forms[index % forms.length]?.(name));
};

/** Target that sends a canary instead of every value. It also replaces `code` in `getFeeRules`, but in no other operation. */
export const replacingEveryValue: CreateTarget = (canaries) =>
  inTurn(
    createAlter((_, name) => canaries.text(name)),
    altering('getFeeRules', set('code', canaries.text('code'))),
  );

export function createHeaders(canaries: Canaries): Record<string, string> {
  const names = ['server', 'etag', 'via', 'x-ratelimit-remaining', 'api-version', 'cache-control', 'x-owner'];
  return {
    ...Object.fromEntries(names.map((name) => [name, canaries.of(`header ${name}`)])),
    [`x-${canaries.of('name of a header')}`]: '1',
    'set-cookie': `session=${canaries.of('cookie')}; Path=/${canaries.of('path of the cookie')}`,
    'www-authenticate': `Basic realm="${canaries.of('realm')}"`,
  };
}

/** Creates a target that rejects every request with an HTTP status, and repeats the request in headers and body. */
export const rejecting =
  (status: number): CreateTarget =>
  (canaries) =>
  (response, { path, headers, operation }) => {
    const echoedText = `GET ${path} ${JSON.stringify(headers)} ${canaries.text('error text')}`;
    const isLookup = operation === 'getCard' || operation === 'getCustomer';
    const raw = isLookup
      ? JSON.stringify({
          code: 4000,
          message: echoedText,
          [canaries.of('name of an error field')]: echoedText,
        })
      : `<!doctype html><title>${canaries.text('error page')}</title><pre>${echoedText}</pre>`;
    const headersToSend = {
      ...createHeaders(canaries),
      'content-type': isLookup ? 'application/json' : `text/html; boundary=${canaries.of('boundary')}`,
      location: `https://${canaries.of('host')}.invalid/?token=${canaries.of('location')}`,
      'x-request': encodeURIComponent(echoedText),
    };
    return { ...response, headers: headersToSend, status, raw };
  };

const isKnownRequest = (canaries: Canaries, { status }: MockResponse, { parameters }: MockRequest): boolean =>
  status === 200 || canaries.labelsIn(Object.values(parameters).join('\n')).length > 0;

/** Creates a target that rejects requests for unknown identifiers with `status`, and answers others as `answerKnown` does. */
export const rejectingUnknown =
  (status: number, answerKnown: CreateTarget = knowing): CreateTarget =>
  (canaries) =>
  (response, request) => {
    const createTarget = isKnownRequest(canaries, response, request) ? answerKnown : rejecting(status);
    return createTarget(canaries)(response, request);
  };

/** Target that redirects, and sends bodies that are malformed or cut off, all with canaries. */
export const hostile: CreateTarget = (canaries) => (response, request) => {
  const name = canaries.of('name that is there twice');
  const bodies: Record<string, string> = {
    getCard: `{"name":"${canaries.text('broken body')}`,
    getCustomer: `{"${name}":1,"${name}":2}`,
    getFeeRules: canaries.text('cut body').repeat(99),
  };
  const raw = bodies[request.operation ?? ''];
  // The list without an offset succeeds; otherwise the target would not be recognized as this API.
  if (raw === undefined) {
    const createTarget = 'offset' in request.parameters ? rejecting(302) : knowing;
    return createTarget(canaries)(response, request);
  }
  const headers = { ...createHeaders(canaries), 'content-type': `text/${canaries.of('media type')}` };
  const alteredResponse = { ...response, headers, status: 200, raw };
  return request.operation === 'getFeeRules' ? { ...alteredResponse, abort: 'middle' } : alteredResponse;
};

/** Target that sends secrets which look like words, wherever reports may show a word or a name: whole, cut and in other letter case. */
export const whispering: CreateTarget = (canaries) => {
  const [key, cookie, password, signature] = ['API key', 'own cookie', 'password', 'signature'].map((name) =>
    canaries.phrase(`${name} in words`),
  ) as [string, string, string, string];
  const [firstHalf = '', secondHalf = ''] = key.split('-');
  const echoedTexts = [key.toUpperCase(), firstHalf, `${cookie}_x`, password, key];
  const longerNames = { field: `${signature.replace('-', '_')}_count`, header: `x-${signature}-total` };
  const records = createAlter(
    (_, _name, index) => echoedTexts[index % echoedTexts.length],
    () => ({ [cookie]: key, [secondHalf]: 1, [longerNames.field]: 1 }),
  );
  return (response, request) => {
    const isFeeRule = request.operation === 'getFeeRules';
    const type = isFeeRule ? `text/${password.replace('-', '+')}` : 'application/json';
    const headers = { ...response.headers, [longerNames.header]: '1', 'content-type': type };
    if (isKnownRequest(canaries, response, request)) return { ...records(response, request), headers };
    const raw = JSON.stringify({ code: 404, [cookie]: key, [firstHalf]: secondHalf });
    return { ...response, headers, status: 404, raw };
  };
};

/** Target whose responses conform one by one but contradict each other, with canaries in both responses of each contradiction. */
export const contradicting: CreateTarget = (canaries) => {
  const sharedUuid = createUuid(canaries, 'uuid of two customers');
  const createText = (label: string) => canaries.text(label);
  return inTurn(
    knowing(canaries),
    altering('getCard', (response, request) => {
      const newReference = createUuid(canaries, 'a reference that changes');
      return set('data/card/reference_id', newReference)(response, request);
    }),
    altering('listCustomers', set('data/customers/0/uuid', sharedUuid)),
    altering('listCustomers', set('data/customers/2/uuid', sharedUuid)),
    altering(
      'listCustomers',
      set('data/customers/2/reference_number', createText('reference number of another')),
    ),
    altering('getCustomer', set('data/customer/reference_number', createText('another reference number'))),
    altering('getFeeRules', set('data/fee_rules/0/user_id', createText('another user'))),
  );
};
