import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { MockAnswer } from '../../../../mock/answers.ts';
import type { Choices } from '../../../../mock/choices.ts';
import type { Alter } from '../../../../mock/server.ts';
import { altering, answering, contentType, text, withoutUser } from '../../harness/edits.ts';
import { assign, everywhere, inTurn, kinds, naming, type Variant } from './variant.ts';

/* The same records, sent in any way that the contract, JSON and HTTP leave open. */

/** Each JSON type, and things that a careless reader of fields stumbles over. */
const undeclaredFields = {
  surprise: 'text',
  count: 1e300,
  ratio: -0.5,
  flag: false,
  nothing: null,
  list: [1, 'two', null, [], {}],
  nested: { code: 500, data: { card: null, fee_rules: 'none' }, list: [{ id: 7 }] },
  limit: { a: 1 },
  userId: 5,
};

/** Writes fields into every object of an answer, at any depth. */
const inEveryObject = (kind: string, ...fields: string[]): Variant => ({
  name: `undeclared fields in every object: ${kind}`,
  alter: everywhere(text((json) => json.replaceAll('{"', `{${fields.join()},"`))),
});

/** Names that mean something to a language, to a JSON Pointer, or to a terminal. */
const names = {
  'names of what objects have': ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'],
  'names of what lists and promises have': ['length', 'then', 'toJSON', '0'],
  'names that pointers and patterns use': ['', '*', 'a/b', 'a~1b', '~', '$ref'],
  'names of unusual characters': [' ', 'ключ 🔑', '\\u0000', '\\ud800'],
};

const deep = (depth: number) => '{"a":['.repeat(depth) + ']}'.repeat(depth);

/** Fields that the contract does not name, which it does not forbid either (contract 2). */
const undeclared: Variant[] = [
  ...kinds.map((kind) => ({
    name: `undeclared fields in each ${kind}`,
    alter: assign(kind, undeclaredFields),
  })),
  ...Object.entries(names).map(([kind, some]) =>
    inEveryObject(kind, ...some.map((name) => `"${name}":{"x":[null]}`)),
  ),
  inEveryObject(
    'null, and more digits than a double has',
    '"user":null',
    `"big":${'1234567890'.repeat(3)}.01e-7`,
  ),
  {
    name: 'an undeclared field of great depth',
    alter: everywhere(text((json) => json.replace('{"', `{"deep":${deep(400)},"`))),
  },
  {
    name: 'the fields of every other record beside those of a card',
    alter: assign('card', {
      uuid: 1,
      customer: null,
      dial_code: 44,
      token_type: 'Gold',
      fixed_fee: 0.5,
      code: 1,
    }),
  },
  {
    name: 'the fields of a list beside a single customer',
    alter: altering('getCustomer', (answer) => {
      Object.assign((answer.body as { data: object }).data, {
        customers: null,
        total: 1,
        page: { size: 20 },
      });
      return answer;
    }),
  },
  { name: 'p_user_id beside user_id', alter: inTurn(naming('u'), assign('feeRule', { p_user_id: null })) },
  {
    name: 'p_user_id where no user is documented',
    alter: inTurn(
      ...kinds.filter((kind) => kind !== 'feeRule').map((kind) => assign(kind, { p_user_id: 1 })),
    ),
  },
];

/** Another way to write the same JSON. */
const written = (name: string, edit: (json: string) => string): Variant => ({
  name: `JSON ${name}`,
  alter: everywhere(text(edit)),
});

const strings = /"(?:[^"\\]|\\.)*"/g;
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const indented = (indent: string) => (json: string) => JSON.stringify(JSON.parse(json), null, indent);

/** A string of JSON in which every letter is escaped; hexadecimal digits are read in either case. */
const escaped = (letters: string, capitals = false) => {
  const units = Array.from({ length: letters.length }, (_, at) => letters.charCodeAt(at));
  const digits = units.map((unit) => unit.toString(16).padStart(4, '0'));
  return digits.map((four) => `\\u${capitals ? four.toUpperCase() : four}`).join('');
};

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).reverse();
  return Object.fromEntries(fields.map(([key, child]) => [key, reversed(child)]));
}

const codes = [
  '200.0',
  '2e2',
  '20.0E+1',
  '2000e-1',
  '0.02e4',
  '200E-0',
  `200.${'0'.repeat(400)}`,
  '2.00e+0002',
];

/** The same answers, written otherwise (RFC 8259). */
const writing: Variant[] = [
  written('with its keys in reverse', (json) => JSON.stringify(reversed(JSON.parse(json)))),
  written('indented', indented('\t')),
  written('with Windows line ends', (json) => indented('  ')(json).replaceAll('\n', '\r\n')),
  written('with blanks around everything', (json) => ` \n${json.replace(tokens, '\t\r\n $& \n')}\n\n`),
  ...[false, true].map((capitals) =>
    written(`with every letter escaped${capitals ? ', in capitals' : ''}`, (json) =>
      json.replace(strings, (string) => `"${escaped(JSON.parse(string), capitals)}"`),
    ),
  ),
  written('with escaped slashes', (json) => json.replaceAll('/', '\\/')),
  written('in ASCII only', (json) => json.replace(/[^ -~]/g, (letter) => escaped(letter))),
  written('behind a byte order mark', (json) => `\ufeff${json}`),
  ...codes.map((code) =>
    written(`with code ${code.slice(0, 12)}`, (json) => json.replace('"code":200', `"code":${code}`)),
  ),
];

const mediaTypes = [
  'application/json',
  'APPLICATION/JSON',
  'application/json; charset="utf-8"',
  'application/json;charset=UTF-8',
  'application/json ;charset="UTF-8"; profile=x',
  'Application/Json;\tcharset=utf-8',
  'application/json;',
  'application/json; profile="a;b, c/d"',
];

const codings: [string, (body: string) => Buffer][] = [
  ['gzip', gzipSync],
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

const headers: [string, Choices['headers']][] = [
  ['connection: close', { connection: 'close' }],
  ['rate limit headers', { 'x-ratelimit-remaining': '0', 'ratelimit-reset': '1', 'retry-after': '120' }],
  ['cache headers', { etag: 'W/"1"', 'cache-control': 'public, max-age=60', age: '30', vary: '*' }],
  ['cookies', { 'set-cookie': ['a=1; Path=/', 'b=2; HttpOnly; Secure', 'a=3'] }],
  [
    'cookies of no form',
    {
      'set-cookie': [
        '',
        '=',
        ';',
        'x',
        'a=b; Expires=never; Max-Age=no',
        'c=d; Domain=other.example; Path=x',
        '__Host-e=\u00fc',
      ],
    },
  ],
  ['a header in Latin-1', { 'x-name': 'M\u00fcller \u00ff' }],
  ['empty headers', { 'x-empty': '', 'content-language': '', server: '' }],
  ['headers sent twice', { vary: ['Accept', 'Origin'], 'x-trace': ['1', '1'], link: ['</a>', '</b>'] }],
  ['the media type sent twice', { 'content-type': ['application/json', 'application/json'] }],
  ['a header of eight thousand characters', { 'x-long': 'x'.repeat(8000) }],
  [
    'headers that ask for something else',
    { location: '/elsewhere', refresh: '0; url=/', 'content-language': 'ar' },
  ],
  ['a body to be downloaded', { 'content-disposition': 'attachment; filename="a.json"' }],
  [
    'strict security headers',
    { 'strict-transport-security': 'max-age=1', 'content-security-policy': "default-src 'none'" },
  ],
];

/** Header names in other letters; HTTP treats them alike. */
const headerCase = (edit: (name: string) => string): Alter =>
  everywhere((answer) => ({
    ...answer,
    headers: Object.fromEntries(Object.entries(answer.headers).map(([name, value]) => [edit(name), value])),
  }));

const keyed: Alter = (answer, request) =>
  request.headers['x-api-key'] === 'key' && request.headers.authorization === 'Bearer token'
    ? answer
    : { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: null, raw: '' };

/** What HTTP leaves to the provider. */
const http: Variant[] = [
  ...mediaTypes.map((type) => ({ name: `content type ${type}`, alter: everywhere(contentType(type)) })),
  ...codings.map(compressed),
  ...headers.map(([name, some]) => ({ name, choices: { headers: some } })),
  { name: 'header names in capitals', alter: headerCase((name) => name.toUpperCase()) },
  {
    name: 'header names in title case',
    alter: headerCase((name) => name.replace(/\b./g, (x) => x.toUpperCase())),
  },
  { name: 'bodies in pieces', choices: { chunked: true } },
  { name: 'answers after 80 ms', choices: { delayMs: 80 } },
  ...['/gateway/v2', '/svc', '/api/v1/openapi', '/a/b/c/d'].map((prefix) => ({
    name: `a base address that ends in ${prefix}`,
    choices: { prefix },
  })),
  {
    name: 'bodies in pieces, each connection closed',
    choices: { chunked: true, headers: { connection: 'close' } },
  },
  { name: 'only application/json is served', choices: { strictAccept: true } },
  { name: 'unknown parameters are rejected', choices: { unknownParameters: 'rejected' } },
  { name: 'parameter values in any letter case', choices: { caseSensitiveEnums: false } },
  { name: 'paths with a slash behind them', choices: { trailingSlash: 'accepted' } },
  {
    name: 'an API key is demanded',
    alter: keyed,
    settings: { headers: { 'X-Api-Key': 'key', Authorization: 'Bearer token' } },
  },
];

const types = { html: 'text/html; charset=utf-8', plain: 'text/plain' };
const page = '<!doctype html><title>Oops</title><p>user_id is missing';

const ofRejections: [string, Partial<MockAnswer>][] = [
  ['HTTP 400 and an envelope', { status: 400, body: { code: 400, message: 'bad request', data: {} } }],
  ['HTTP 400 and code 200', { status: 400, body: { code: 200, message: 'ok', data: { fee_rules: [] } } }],
  ['HTTP 401', { status: 401, body: { code: 401 } }],
  ['HTTP 403', { status: 403, body: { code: 403 } }],
  ['HTTP 404 and a web page', { status: 404, headers: { 'content-type': types.html }, raw: page }],
  ['HTTP 422 and problem details', { status: 422, headers: { 'content-type': 'application/problem+json' } }],
  ['HTTP 500 and plain text', { status: 500, headers: { 'content-type': types.plain }, raw: 'Error' }],
  ['HTTP 500 and nothing', { status: 500, headers: {}, raw: '' }],
  ['HTTP 204', { status: 204, headers: {}, raw: '' }],
  ['HTTP 302', { status: 302, headers: { location: 'https://login.invalid/' }, raw: '' }],
  ['HTTP 200 and nothing', { headers: {}, raw: '' }],
  ['HTTP 200 and a web page', { headers: { 'content-type': types.html }, raw: page }],
  ['HTTP 200 and plain text', { headers: { 'content-type': types.plain }, raw: 'user_id is required' }],
  ['HTTP 200 and null', {}],
  ['HTTP 200 and a list', { body: ['user_id'] }],
  ['HTTP 200 and an error code', { body: { code: 40001, message: 'user_id is required', data: null } }],
  [
    'HTTP 200, an error code and an empty list',
    { body: { code: 400, message: 'x', data: { fee_rules: [] } } },
  ],
  ['HTTP 200, an error code as text and an empty list', { body: { code: 'E1', data: { fee_rules: [] } } }],
  ['HTTP 200, the code of a success and no data', { body: { code: 200, data: null } }],
  ['HTTP 200 and another form', { body: { error: { reason: 'user_id' }, fee_rules: null } }],
  ['HTTP 200 and half a document', { raw: '{"code":200,"data":{"fee_rules":[' }],
  ['HTTP 200 and bytes that are no text', { raw: Buffer.from([0xff, 0xfe, 0x00]) }],
];

/** Error responses in the form that the provider chooses, for the contract gives them none (contract 7). */
const rejections: Variant[] = [
  ...(['http-200', 'html'] satisfies Choices['rejection'][]).map((rejection) => ({
    name: `rejections as ${rejection}`,
    choices: { rejection },
  })),
  ...ofRejections.map(([name, answer]) => ({
    name: `a user lookup without user_id rejected with ${name}`,
    alter: answering('getFeeRules', withoutUser, answer),
  })),
];

/** What stands around records, and how it is sent. */
export const answers: Variant[] = [
  ...undeclared,
  ...writing,
  ...http.map((variant) => ({ ...variant, network: true as const })),
  ...rejections,
];
