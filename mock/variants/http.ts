import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Choices } from '../choices.ts';
import { contentType } from '../edits.ts';
import type { Alter } from '../server.ts';
import { differingIn, everywhere, type Variant } from './variant.ts';

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
  aspect: 'transfer',
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
export const http: Variant[] = [
  ...differingIn(
    'media type',
    mediaTypes.map((type) => ({ name: `content type ${type}`, alter: everywhere(contentType(type)) })),
  ),
  ...codings.map(compressed),
  ...differingIn(
    'headers',
    headers.map(([name, some]) => ({ name, choices: { headers: some } })),
  ),
  ...differingIn('transfer', [
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
  ]),
  {
    name: 'bodies in pieces, each connection closed',
    choices: { chunked: true, headers: { connection: 'close' } },
  },
  ...differingIn('requests', [
    { name: 'only application/json is served', choices: { strictAccept: true } },
    { name: 'unknown parameters are rejected', choices: { unknownParameters: 'rejected' } },
    { name: 'parameter values in any letter case', choices: { caseSensitiveEnums: false } },
    { name: 'paths with a slash behind them', choices: { trailingSlash: 'accepted' } },
  ]),
  {
    name: 'an API key is demanded',
    alter: keyed,
    settings: { headers: { 'X-Api-Key': 'key', Authorization: 'Bearer token' } },
  },
];
