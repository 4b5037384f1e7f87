import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { MockAnswer } from '../../../../mock/answers.ts';
import type { Alter } from '../../../../mock/server.ts';
import {
  altering,
  answering,
  type Change,
  contentType,
  set,
  text,
  withoutUser,
} from '../../harness/edits.ts';
import { assign, everywhere, inTurn, kinds, named, naming, type Variant } from './variant.ts';

/* The same records, sent in any way that the contract, JSON and HTTP leave open. */

/** Each JSON type, and things that a careless reader of fields stumbles over. */
const undeclaredFields = {
  ...{ surprise: 'text', count: 1e300, ratio: -0.5, flag: false, nothing: null, limit: { a: 1 }, userId: 5 },
  list: [1, 'two', null, [], {}],
  nested: { code: 500, data: { card: null, fee_rules: 'none' }, list: [{ id: 7 }] },
};

/** Names that mean something to a language, to a JSON Pointer, or to a terminal. */
const names = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'length', 'then', 'toJSON', '0'],
  ...['', '*', 'a/b', 'a~1b', '~', '$ref', ' ', 'ключ 🔑', '\\u0000', '\\ud800'],
];
const oddlyNamed = names.map((name) => `"${name}":{"x":[null]}`).join();
const longNumber = `"user":null,"big":${'1234567890'.repeat(3)}.01e-7`;

/** Writes fields into every object of an answer, at any depth. */
const inEveryObject = (fields: string) => everywhere(text((json) => json.replaceAll('{"', `{${fields},"`)));

const deep = `{"deep":${'{"a":['.repeat(400)}${']}'.repeat(400)},"`;
const ofOthers = { uuid: 1, customer: null, dial_code: 44, token_type: 'Gold', fixed_fee: 0.5, code: 1 };
const withoutUsers = kinds.filter((kind) => kind !== 'feeRule');

/** Fields that the contract does not name, which it does not forbid either (contract 2). */
const undeclared: Variant[] = [
  ...kinds.map((kind) => ({
    name: `undeclared fields in each ${kind}`,
    alter: assign(kind, undeclaredFields),
  })),
  ...named('alter', {
    'odd names in every object': inEveryObject(oddlyNamed),
    'null, and more digits than a double has, in every object': inEveryObject(longNumber),
    'an undeclared field of great depth': everywhere(text((json) => json.replace('{"', deep))),
    'the fields of every other record beside those of a card': assign('card', ofOthers),
    'a list beside a single customer': altering('getCustomer', set('data/customers', null)),
    'p_user_id beside user_id': inTurn(naming('u'), assign('feeRule', { p_user_id: null })),
    'p_user_id where no user is documented': inTurn(
      ...withoutUsers.map((kind) => assign(kind, { p_user_id: 1 })),
    ),
  }),
];

const strings = /"(?:[^"\\]|\\.)*"/g;
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** A string of JSON in which every letter is escaped. */
function escaped(string: string): string {
  const letters: string = JSON.parse(string);
  const units = Array.from({ length: letters.length }, (_, at) => letters.charCodeAt(at));
  return `"${units.map((unit) => `\\u${unit.toString(16).toUpperCase().padStart(4, '0')}`).join('')}"`;
}

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).reverse();
  return Object.fromEntries(fields.map(([key, child]) => [key, reversed(child)]));
}

/** The same answers, written otherwise (RFC 8259); `self/judging/json.spec.ts` has more forms of numbers. */
const writing: Record<string, (json: string) => string> = {
  'with its keys in reverse': (json) => JSON.stringify(reversed(JSON.parse(json))),
  'with blanks around everything': (json) => ` \n${json.replace(tokens, '\t\r\n $& \n')}\n\n`,
  'with every letter escaped': (json) => json.replace(strings, escaped),
  'behind a byte order mark': (json) => `\ufeff${json}`,
  'with code 20.0E+1': (json) => json.replace('"code":200', '"code":20.0E+1'),
  'with code 200.000': (json) => json.replace('"code":200', `"code":200.${'0'.repeat(400)}`),
};
const written = Object.entries(writing).map(([name, edit]) => ({
  name: `JSON ${name}`,
  alter: everywhere(text(edit)),
}));

const mediaTypes = [
  'APPLICATION/JSON',
  'application/json ;charset="UTF-8"; profile=x',
  'Application/Json;\tcharset=utf-8',
  'application/json;',
  'application/json; profile="a;b, c/d"',
];

const codings: [string, (body: string) => Buffer][] = [
  ['GZIP', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['identity', Buffer.from],
];

const compressed = ([coding, compress]: (typeof codings)[number]): Variant => ({
  name: `bodies compressed, content-encoding: ${coding}`,
  alter: everywhere(({ headers, ...answer }) => ({
    ...answer,
    headers: { ...headers, 'content-encoding': coding },
    raw: compress(String(answer.raw ?? JSON.stringify(answer.body))),
  })),
});

/** Response headers, of which the contract names none: those that ask a client for something, and those of any form. */
const usualHeaders = {
  ...{ 'x-ratelimit-remaining': '0', 'ratelimit-reset': '1', 'retry-after': '120' },
  ...{ etag: 'W/"1"', 'cache-control': 'public, max-age=60', age: '30', vary: ['Accept', 'Origin'] },
  ...{ location: '/elsewhere', refresh: '0; url=/', link: ['</a>', '</b>'] },
  ...{ 'content-disposition': 'attachment; filename="a.json"', 'strict-transport-security': 'max-age=1' },
};
const oddHeaders = {
  ...{ 'x-empty': '', 'content-language': '', server: '', 'x-trace': ['1', '1'] },
  ...{ 'x-name': 'M\u00fcller \u00ff', 'x-long': 'x'.repeat(8000) },
};
const oddCookies = [
  ...['', '=', ';', 'x', 'a=1; Path=/', 'b=2; HttpOnly; Secure', 'a=3', '__Host-e=\u00fc'],
  ...['a=b; Expires=never; Max-Age=no', 'c=d; Domain=other.example; Path=x'],
];

/** Header names in other letters; HTTP treats them alike. */
const headersInCapitals: Change = (answer) => ({
  ...answer,
  headers: Object.fromEntries(
    Object.entries(answer.headers).map(([name, value]) => [name.toUpperCase(), value]),
  ),
});

const keys = { 'X-Api-Key': 'key', Authorization: 'Bearer token' };
const keyed: Alter = (answer, request) =>
  request.headers['x-api-key'] === 'key' && request.headers.authorization === 'Bearer token'
    ? answer
    : { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: null, raw: '' };

/** What HTTP leaves to the provider. */
const http: Variant[] = [
  ...mediaTypes.map((type) => ({ name: `content type ${type}`, alter: everywhere(contentType(type)) })),
  ...codings.map(compressed),
  ...named('choices', {
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
  { name: 'header names in capitals', alter: everywhere(headersInCapitals) },
  { name: 'an API key is demanded', alter: keyed, settings: { headers: keys } },
];

const page = '<!doctype html><title>Oops</title><p>user_id is missing';
const inHtml = { headers: { 'content-type': 'text/html; charset=utf-8' }, raw: page };
const plain = { headers: { 'content-type': 'text/plain' }, raw: 'user_id is required' };
const empty = { headers: {}, raw: '' };
const noRules = { fee_rules: [] };

const ofRejections: Record<string, Partial<MockAnswer>> = {
  'HTTP 400 and an envelope': { status: 400, body: { code: 400, message: 'bad request', data: {} } },
  'HTTP 400 and code 200': { status: 400, body: { code: 200, message: 'ok', data: noRules } },
  'HTTP 401': { status: 401, body: { code: 401 } },
  'HTTP 403': { status: 403, body: { code: 403 } },
  'HTTP 422 and problem details': { status: 422, headers: { 'content-type': 'application/problem+json' } },
  'HTTP 500 and nothing': { status: 500, ...empty },
  'HTTP 204': { status: 204, ...empty },
  'HTTP 302': { status: 302, headers: { location: 'https://login.invalid/' }, raw: '' },
  'HTTP 200 and nothing': empty,
  'HTTP 200 and a web page': inHtml,
  'HTTP 200 and plain text': plain,
  'HTTP 200 and null': {},
  'HTTP 200 and a list': { body: ['user_id'] },
  'HTTP 200 and an error code': { body: { code: 40001, message: 'user_id is required', data: null } },
  'HTTP 200, an error code and an empty list': { body: { code: 400, message: 'x', data: noRules } },
  'HTTP 200, an error code as text and an empty list': { body: { code: 'E1', data: noRules } },
  'HTTP 200, the code of a success and no data': { body: { code: 200, data: null } },
  'HTTP 200 and another form': { body: { error: { reason: 'user_id' }, fee_rules: null } },
  'HTTP 200 and half a document': { raw: '{"code":200,"data":{"fee_rules":[' },
  'HTTP 200 and bytes that are no text': { raw: Buffer.from([0xff, 0xfe, 0x00]) },
};

/** Error responses in the form that the provider chooses, for the contract gives them none (contract 7). */
const rejections: Variant[] = [
  ...named('choices', {
    'rejections as http-200': { rejection: 'http-200' },
    'rejections as html': { rejection: 'html' },
  }),
  ...Object.entries(ofRejections).map(([name, answer]) => ({
    name: `a user lookup without user_id rejected with ${name}`,
    alter: answering('getFeeRules', withoutUser, answer),
  })),
];

/** What stands around records, and how it is sent. */
export const answers: Variant[] = [
  ...undeclared,
  ...written,
  ...http.map((variant) => ({ ...variant, network: true as const })),
  ...rejections,
];
