import { defaultChoices } from '../../../mock/choices.ts';
import { createCustomerStore, customers } from '../../../mock/customers.ts';
import { operations, type Route } from '../../../mock/operations.ts';
import type { MockResponse } from '../../../mock/responses.ts';
import type { Alter, MockRequest } from '../../../mock/server.ts';
import { loadContract, type Parameter } from '../../../schemas/contract/contract.ts';
import { listNodes } from '../../../schemas/contract/nodes.ts';
import { altering, applyInOrder, set } from '../harness/edits.ts';
import { freeTextFields } from '../proof/variants/records.ts';
import type { Canaries } from './canaries.ts';

/** Creates an `Alter` that puts canaries (invented secrets) into the mock's responses. */
export type CreateTarget = (canaries: Canaries) => Alter;

/**
 * Returns the value to send in place of `value`.
 * @param index position, from 0, among the replaced values of the response
 */
type ReplaceValue = (value: unknown, fieldName: string, index: number) => unknown;

const routes: readonly Route[] = operations;
const contract = loadContract();
const store = createCustomerStore([0, 2, 9].flatMap((index) => customers[index] ?? []));

/** Creates a response body for HTTP 200, even for an unknown identifier; undefined if a request without identifier is invalid. */
function createSuccessBody({ operation = 'listCustomers', parameters }: MockRequest): unknown {
  const route = routes.find((candidate) => candidate.operation === operation);
  if (!route) return undefined;
  const mockResponse = route.handle(parameters, defaultChoices, store);
  if (mockResponse.status === 200) return mockResponse.body;
  const documentedParameters = contract.operations.find(({ id }) => id === operation)?.parameters ?? [];
  const identifierParameter = documentedParameters.find(
    (parameter) => parameter['x-identifiers'] && parameters[parameter.name] !== undefined,
  );
  if (!identifierParameter) return undefined;
  return createBodyWithIdentifier(route, parameters, identifierParameter);
}

function createBodyWithIdentifier(
  route: Route,
  parameters: MockRequest['parameters'],
  { name, 'x-identifiers': variable = '' }: Parameter,
): unknown {
  const [knownIdentifier = ''] = route.identifiers?.[variable] ?? [];
  const { body } = route.handle({ ...parameters, [name]: knownIdentifier }, defaultChoices);
  const quotedIdentifier = JSON.stringify(parameters[name] ?? '');
  const escapedIdentifier = quotedIdentifier.slice(1, -1);
  // A function, because `replaceAll` gives `$` in a text a special meaning.
  return JSON.parse(JSON.stringify(body).replaceAll(knownIdentifier, () => escapedIdentifier));
}

function createAlter(replaceValue: ReplaceValue, createExtraFields: () => object = () => ({})): Alter {
  return (response, request) => {
    const successBody = createSuccessBody(request);
    if (!successBody) return response;
    let valueCount = 0;
    const changedBody = JSON.parse(JSON.stringify(successBody), (fieldName, value) => {
      const isObjectOrArray = typeof value === 'object' && value !== null;
      if (isObjectOrArray || fieldName === 'code') return value;
      const index = valueCount;
      valueCount += 1;
      return replaceValue(value, fieldName, index);
    });
    const body = { ...changedBody, ...createExtraFields() };
    const headers = { ...response.headers, 'content-type': 'application/json' };
    return { ...response, status: 200, headers, body };
  };
}

const freeTextNames = new Set(freeTextFields.map(({ name }) => name));
const enumValues = new Set(contract.operations.flatMap(listNodes).flatMap(({ schema }) => schema.enum ?? []));

/** Target that conforms to the contract and sends canaries in free-text and undeclared fields. */
export const conforming: CreateTarget = (canaries) => {
  const replaceFreeText: ReplaceValue = (value, fieldName) => {
    // A name such as `status` may be free text in one object, and an enum in another.
    const isFreeText = freeTextNames.has(fieldName) && !enumValues.has(value);
    return isFreeText ? canaries.getTextToEncode(fieldName) : value;
  };
  const createUndeclaredFields = () => ({
    extra: canaries.getTextToEncode('extra'),
    [canaries.getCode('field name')]: [],
  });
  return createAlter(replaceFreeText, createUndeclaredFields);
};

function createDigits(canaries: Canaries, label: string): number {
  const furtherDigits = Array.from({ length: 14 }, () => 1 + canaries.drawBelow(9));
  return Number(canaries.add(label, `4${furtherDigits.join('')}`));
}

/**
 * Adds a random version 4 UUID to `canaries`, and returns it.
 * @param label description of the UUID in test failures, such as `uuid of two customers`
 */
export function createUuid(canaries: Canaries, label: string): string {
  const createHex = (length: number) =>
    Array.from({ length }, () => canaries.drawBelow(16).toString(16)).join('');
  const uuid = `${createHex(8)}-${createHex(4)}-4${createHex(3)}-8${createHex(3)}-${createHex(12)}`;
  return canaries.add(label, uuid);
}

/** Target that replaces field values by canaries of various types in turn. */
export const breaking: CreateTarget = (canaries) => {
  const valueCreators: ((fieldName: string) => unknown)[] = [
    (fieldName) => canaries.getTextToEncode(fieldName),
    (fieldName) => createDigits(canaries, `digits of ${fieldName}`),
    (fieldName) => createUuid(canaries, `UUID of ${fieldName}`),
    (fieldName) => [canaries.getCode(`element of ${fieldName}`)],
    (fieldName) => ({
      [canaries.getCode(`name in ${fieldName}`)]: canaries.getCode(`value in ${fieldName}`),
    }),
  ];
  return createAlter((_, fieldName, index) => {
    const createValue = valueCreators[index % valueCreators.length];
    return createValue?.(fieldName);
  });
};

/** Target that replaces each field value by a canary, but `code` only in responses of `getFeeRules`. */
export const replacingEveryValue: CreateTarget = (canaries) => {
  const replaceEachField = createAlter((_, fieldName) => canaries.getTextToEncode(fieldName));
  // No field is judged without a valid code, so `code` stays in responses of the other operations.
  const replaceCode = altering('getFeeRules', set('code', canaries.getTextToEncode('code')));
  return applyInOrder(replaceEachField, replaceCode);
};

/** Creates response headers with canaries in names and values. */
export function createHeaders(canaries: Canaries): Record<string, string> {
  const headers: Record<string, string> = {};
  const names = ['server', 'etag', 'via', 'x-ratelimit-remaining', 'api-version', 'cache-control', 'x-owner'];
  for (const name of names) headers[name] = canaries.getCode(`header ${name}`);
  headers[`x-${canaries.getCode('name of a header')}`] = '1';
  headers['set-cookie'] =
    `session=${canaries.getCode('cookie')}; Path=/${canaries.getCode('path of the cookie')}`;
  headers['www-authenticate'] = `Basic realm="${canaries.getCode('realm')}"`;
  return headers;
}

/** Creates a target that rejects every request with `status` and echoes the request. */
export const rejecting =
  (status: number): CreateTarget =>
  (canaries) =>
  (response, { path, headers: requestHeaders, operation }) => {
    const echoedText = `GET ${path} ${JSON.stringify(requestHeaders)} ${canaries.getTextToEncode('error text')}`;
    const isLookup = operation === 'getCard' || operation === 'getCustomer';
    const headers = {
      ...createHeaders(canaries),
      'content-type': isLookup ? 'application/json' : `text/html; boundary=${canaries.getCode('boundary')}`,
      location: `https://${canaries.getCode('host')}.invalid/?token=${canaries.getCode('location')}`,
      'x-request': encodeURIComponent(echoedText),
    };
    const createBody = isLookup ? createErrorJson : createErrorPage;
    return { ...response, headers, status, raw: createBody(canaries, echoedText) };
  };

const createErrorJson = (canaries: Canaries, echoedText: string): string =>
  JSON.stringify({
    code: 4000,
    message: echoedText,
    [canaries.getCode('name of an error field')]: echoedText,
  });

const createErrorPage = (canaries: Canaries, echoedText: string): string =>
  `<!doctype html><title>${canaries.getTextToEncode('error page')}</title><pre>${echoedText}</pre>`;

// A parameter with a canary is a configured identifier.
const mustSucceed = (canaries: Canaries, { status }: MockResponse, { parameters }: MockRequest): boolean =>
  status === 200 || canaries.findLabels(Object.values(parameters).join('\n')).length > 0;

/**
 * Creates a target that rejects invalid requests and unknown identifiers with `status`.
 * @param respondToKnown target for all other requests
 */
export const rejectingUnknown =
  (status: number, respondToKnown: CreateTarget = conforming): CreateTarget =>
  (canaries) =>
  (response, request) => {
    const createTarget = mustSucceed(canaries, response, request) ? respondToKnown : rejecting(status);
    const alter = createTarget(canaries);
    return alter(response, request);
  };

/** Target that sends redirects, malformed bodies and truncated bodies, all with canaries. */
export const hostile: CreateTarget = (canaries) => (response, request) => {
  const name = canaries.getCode('name that is there twice');
  const malformedBodies: Record<string, string> = {
    getCard: `{"name":"${canaries.getTextToEncode('broken body')}`,
    getCustomer: `{"${name}":1,"${name}":2}`,
    getFeeRules: canaries.getTextToEncode('cut body').repeat(99),
  };
  const malformedBody = malformedBodies[request.operation ?? ''];
  if (malformedBody === undefined) {
    // The list without an offset succeeds, because the suite uses it to check that the target is this API.
    const createTarget = 'offset' in request.parameters ? rejecting(302) : conforming;
    const alter = createTarget(canaries);
    return alter(response, request);
  }
  const headers = { ...createHeaders(canaries), 'content-type': `text/${canaries.getCode('media type')}` };
  const malformedResponse = { ...response, headers, status: 200, raw: malformedBody };
  if (request.operation !== 'getFeeRules') return malformedResponse;
  // The mock closes the connection in the middle of the body.
  return { ...malformedResponse, abort: 'middle' };
};

/** Target that sends back secrets of the configuration that look like plain words. */
export const whispering: CreateTarget = (canaries) => {
  const key = canaries.getWords('API key in words');
  const cookie = canaries.getWords('own cookie in words');
  const password = canaries.getWords('password in words');
  const signature = canaries.getWords('signature in words');
  const [firstHalf = '', secondHalf = ''] = key.split('-');
  // Reports may show words.
  const sentValues = [key.toUpperCase(), firstHalf, `${cookie}_x`, password, key];
  const replaceValue: ReplaceValue = (_value, _fieldName, index) => sentValues[index % sentValues.length];
  const fieldName = `${signature.replace('-', '_')}_count`;
  const createFieldsWithSecrets = () => ({ [cookie]: key, [secondHalf]: 1, [fieldName]: 1 });
  const respondWithSecrets = createAlter(replaceValue, createFieldsWithSecrets);
  const headerName = `x-${signature}-total`;
  return async (response, request) => {
    const isFeeRule = request.operation === 'getFeeRules';
    const mediaType = isFeeRule ? `text/${password.replace('-', '+')}` : 'application/json';
    const headers = { ...response.headers, [headerName]: '1', 'content-type': mediaType };
    if (mustSucceed(canaries, response, request)) {
      const success = await respondWithSecrets(response, request);
      return { ...success, headers };
    }
    const errorJson = JSON.stringify({ code: 404, [cookie]: key, [firstHalf]: secondHalf });
    return { ...response, headers, status: 404, raw: errorJson };
  };
};

/** Target whose responses fit their schemas but contradict each other or the request. */
export const contradicting: CreateTarget = (canaries) => {
  const sharedUuid = createUuid(canaries, 'uuid of two customers');
  const listedReference = canaries.getTextToEncode('reference number of another');
  const lookedUpReference = canaries.getTextToEncode('another reference number');
  return applyInOrder(
    conforming(canaries),
    altering('getCard', (response, request) => {
      // The first call creates this canary, and further calls add new ones with the same label.
      const newReference = createUuid(canaries, 'a reference that changes');
      return set('data/card/reference_id', newReference)(response, request);
    }),
    altering('listCustomers', set('data/customers/0/uuid', sharedUuid)),
    altering('listCustomers', set('data/customers/2/uuid', sharedUuid)),
    altering('listCustomers', set('data/customers/2/reference_number', listedReference)),
    altering('getCustomer', set('data/customer/reference_number', lookedUpReference)),
    altering('getFeeRules', set('data/fee_rules/0/user_id', canaries.getTextToEncode('another user'))),
  );
};
