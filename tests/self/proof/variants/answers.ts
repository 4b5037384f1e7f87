import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { MockResponse } from '../../../../mock/responses.ts';
import type { Alter } from '../../../../mock/server.ts';
import {
  altering,
  answering,
  applyInOrder,
  type Change,
  editJson,
  set,
  setContentType,
  withoutUser,
} from '../../harness/edits.ts';
import { alterEverywhere, assign, createVariants, echoParameters, kinds, type Variant } from './variant.ts';

/* Variants that send the records of the mock in other ways, which the contract, JSON and HTTP leave open. */

const undeclaredFields = {
  surprise: 'text',
  count: 1e300,
  ratio: -0.5,
  flag: false,
  nothing: null,
  limit: { a: 1 },
  userId: 5,
  list: [1, 'two', null, [], {}],
  nested: { code: 500, data: { card: null, fee_rules: 'none' }, list: [{ id: 7 }] },
};

const oddNames = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then', 'toJSON', '0'],
  ...['', '*', 'a/b', 'a~1b', '~', '$ref', ' ', 'ключ 🔑', '\\u0000', '\\ud800'],
];
const oddlyNamedFields = oddNames.map((name) => `"${name}":{"x":[null]}`).join();
const fieldsWithLongNumber = `"user":null,"big":${'1234567890'.repeat(3)}.01e-7`;

const addToEveryObject = (fieldsJson: string): Alter =>
  alterEverywhere(editJson((json) => json.replaceAll('{"', `{${fieldsJson},"`)));

const deepField = `{"deep":${'{"a":['.repeat(400)}${']}'.repeat(400)},"`;
const addDeepField = editJson((json) => json.replace('{"', deepField));
const fieldsOfOtherRecords = {
  uuid: 1,
  customer: null,
  dial_code: 44,
  token_type: 'Gold',
  fixed_fee: 0.5,
  code: 1,
};
const kindsWithoutUser = kinds.filter((kind) => kind !== 'feeRule');
const addUserToOtherKinds = applyInOrder(...kindsWithoutUser.map((kind) => assign(kind, { p_user_id: 1 })));

// The contract does not forbid undeclared fields (section 2).
const undeclaredVariants: Variant[] = [
  ...kinds.map((kind) => ({
    name: `undeclared fields in each ${kind}`,
    alter: assign(kind, undeclaredFields),
  })),
  ...createVariants('alter', {
    'odd names in every object': addToEveryObject(oddlyNamedFields),
    'null, and more digits than a double has, in every object': addToEveryObject(fieldsWithLongNumber),
    'an undeclared field of great depth': alterEverywhere(addDeepField),
    'the fields of every other record beside those of a card': assign('card', fieldsOfOtherRecords),
    'a list beside a single customer': altering('getCustomer', set('data/customers', null)),
    'p_user_id beside user_id': applyInOrder(echoParameters('u'), assign('feeRule', { p_user_id: null })),
    'p_user_id where no user is documented': addUserToOtherKinds,
  }),
];

const stringPattern = /"(?:[^"\\]|\\.)*"/g;
const tokenPattern = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** Escapes every character of a JSON string: `"ok"` becomes `"\u006F\u006B"`. */
function escapeCharacters(jsonString: string): string {
  const text: string = JSON.parse(jsonString);
  const escapes = text.split('').map((codeUnit) => {
    const hexCode = codeUnit.charCodeAt(0).toString(16).toUpperCase();
    return `\\u${hexCode.padStart(4, '0')}`;
  });
  return `"${escapes.join('')}"`;
}

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).reverse();
  return Object.fromEntries(fields.map(([key, child]) => [key, reverseKeys(child)]));
}

/** Edits of a JSON text that keep its meaning (RFC 8259). */
const jsonEdits: Record<string, (json: string) => string> = {
  'with its keys in reverse': (json) => JSON.stringify(reverseKeys(JSON.parse(json))),
  'with blanks around everything': (json) => ` \n${json.replace(tokenPattern, '\t\r\n $& \n')}\n\n`,
  'with every letter escaped': (json) => json.replace(stringPattern, escapeCharacters),
  // RFC 8259, section 8.1: parsers may ignore a byte order mark.
  'behind a byte order mark': (json) => `\ufeff${json}`,
  // More forms of numbers: `judging/json.spec.ts`.
  'with code 20.0E+1': (json) => json.replace('"code":200', '"code":20.0E+1'),
  'with code 200.000': (json) => json.replace('"code":200', `"code":200.${'0'.repeat(400)}`),
};
const jsonVariants = Object.entries(jsonEdits).map(([name, edit]) => ({
  name: `JSON ${name}`,
  alter: alterEverywhere(editJson(edit)),
}));

/** Values of `Content-Type` that have the media type `application/json` (RFC 9110, sections 5.6.6 and 8.3.1). */
const mediaTypes = [
  'APPLICATION/JSON',
  'application/json ;charset="UTF-8"; profile=x',
  'Application/Json;\tcharset=utf-8',
  'application/json;',
  'application/json; profile="a;b, c/d"',
];

type Coding = [name: string, compress: (body: string) => Buffer];

/** `Content-Encoding` values with their encoders (RFC 9110, section 8.4.1). */
const codings: Coding[] = [
  // Letter case does not matter.
  ['GZIP', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['identity', Buffer.from],
];

function createCompressedVariant([coding, compress]: Coding): Variant {
  const compressBody: Change = (response) => {
    const text = String(response.raw ?? JSON.stringify(response.body));
    const headers = { ...response.headers, 'content-encoding': coding };
    return { ...response, headers, raw: compress(text) };
  };
  return { name: `bodies compressed, content-encoding: ${coding}`, alter: alterEverywhere(compressBody) };
}

/* Response headers, of which the contract names none. */

const usualHeaders = {
  'x-ratelimit-remaining': '0',
  'ratelimit-reset': '1',
  'retry-after': '120',
  etag: 'W/"1"',
  'cache-control': 'public, max-age=60',
  age: '30',
  vary: ['Accept', 'Origin'],
  location: '/elsewhere',
  refresh: '0; url=/',
  link: ['</a>', '</b>'],
  'content-disposition': 'attachment; filename="a.json"',
  'strict-transport-security': 'max-age=1',
};
const oddHeaders = {
  'x-empty': '',
  'content-language': '',
  server: '',
  'x-trace': ['1', '1'],
  'x-name': 'M\u00fcller \u00ff',
  'x-long': 'x'.repeat(8000),
};
const oddCookies = [
  ...['', '=', ';', 'x', 'a=1; Path=/', 'b=2; HttpOnly; Secure', 'a=3', '__Host-e=\u00fc'],
  ...['a=b; Expires=never; Max-Age=no', 'c=d; Domain=other.example; Path=x'],
];

const capitalizeHeaderNames: Change = (response) => ({
  ...response,
  headers: Object.fromEntries(
    Object.entries(response.headers).map(([name, value]) => [name.toUpperCase(), value]),
  ),
});

const apiKeys = { 'X-Api-Key': 'key', Authorization: 'Bearer token' };
const demandKeys: Alter = (response, { headers }) => {
  const hasKeys = headers['x-api-key'] === 'key' && headers.authorization === 'Bearer token';
  if (hasKeys) return response;
  return { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: null, raw: '' };
};

const httpVariants: Variant[] = [
  ...mediaTypes.map((type) => ({
    name: `content type ${type}`,
    alter: alterEverywhere(setContentType(type)),
  })),
  ...codings.map(createCompressedVariant),
  ...createVariants('choices', {
    'usual headers': { headers: usualHeaders },
    'odd headers': { headers: oddHeaders },
    'cookies of any form': { headers: { 'set-cookie': oddCookies } },
    'the media type sent twice': { headers: { 'content-type': ['application/json', 'application/json'] } },
    'chunks, each connection closed': { headers: { 'transfer-encoding': 'chunked', connection: 'close' } },
    'a base address that ends in /gateway/v2': { prefix: '/gateway/v2' },
    'a base address that ends as a path begins': { prefix: '/svc' },
    'only application/json is served': { strictAccept: true },
    'unknown parameters are rejected': { unknownParameters: 'rejected' },
    'parameter values in any letter case': { caseSensitiveEnums: false },
    'paths with a slash behind them': { trailingSlash: 'accepted' },
  }),
  { name: 'header names in capitals', alter: alterEverywhere(capitalizeHeaderNames) },
  { name: 'an API key is demanded', alter: demandKeys, settings: { headers: apiKeys } },
];

const htmlPage = '<!doctype html><title>Oops</title><p>user_id is missing';
const htmlAnswer = { headers: { 'content-type': 'text/html; charset=utf-8' }, raw: htmlPage };
const textAnswer = { headers: { 'content-type': 'text/plain' }, raw: 'user_id is required' };
const emptyAnswer = { headers: {}, raw: '' };
const emptyRules = { fee_rules: [] };

/** Forms in which a provider may reject an invalid request (contract 7). */
const rejectionAnswers: Record<string, Partial<MockResponse>> = {
  'HTTP 400 and an envelope': { status: 400, body: { code: 400, message: 'bad request', data: {} } },
  'HTTP 400 and code 200': { status: 400, body: { code: 200, message: 'ok', data: emptyRules } },
  'HTTP 401': { status: 401, body: { code: 401 } },
  'HTTP 403': { status: 403, body: { code: 403 } },
  'HTTP 422 and problem details': { status: 422, headers: { 'content-type': 'application/problem+json' } },
  'HTTP 500 and nothing': { status: 500, ...emptyAnswer },
  'HTTP 204': { status: 204, ...emptyAnswer },
  'HTTP 302': { status: 302, headers: { location: 'https://login.invalid/' }, raw: '' },
  'HTTP 200 and nothing': emptyAnswer,
  'HTTP 200 and a web page': htmlAnswer,
  'HTTP 200 and plain text': textAnswer,
  'HTTP 200 and null': {},
  'HTTP 200 and a list': { body: ['user_id'] },
  'HTTP 200 and an error code': { body: { code: 40001, message: 'user_id is required', data: null } },
  'HTTP 200, an error code and an empty list': { body: { code: 400, message: 'x', data: emptyRules } },
  'HTTP 200, an error code as text and an empty list': { body: { code: 'E1', data: emptyRules } },
  'HTTP 200, an empty list and no code': { body: { message: 'user_id is required', data: emptyRules } },
  'HTTP 200, the code of a success and no data': { body: { code: 200, data: null } },
  'HTTP 200 and another form': { body: { error: { reason: 'user_id' }, fee_rules: null } },
  'HTTP 200 and half a document': { raw: '{"code":200,"data":{"fee_rules":[' },
  'HTTP 200 and bytes that are no text': { raw: Buffer.from([0xff, 0xfe, 0x00]) },
};

// The contract leaves the form of error responses open (section 7).
const rejectionVariants: Variant[] = [
  ...createVariants('choices', {
    'rejections as http-200': { rejection: 'http-200' },
    'rejections as html': { rejection: 'html' },
  }),
  ...Object.entries(rejectionAnswers).map(([name, response]) => ({
    name: `a user lookup without user_id rejected with ${name}`,
    alter: answering('getFeeRules', withoutUser, response),
  })),
];

export const answerVariants: Variant[] = [
  ...undeclaredVariants,
  ...jsonVariants,
  ...httpVariants.map((variant) => ({ ...variant, network: true as const })),
  ...rejectionVariants,
];
