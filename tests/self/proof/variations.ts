import type { Alter, MockOptions } from '../../../mock/server.ts';
import { assign, inTurn, without } from '../../../mock/variants/variant.ts';

const undeclared = inTurn(
  assign('envelope', { request_id: 'r', at: null }),
  assign('data', { total: 75, has_more: true, nested: { deep: [[1.5e3, {}]] } }),
);

const contentType = 'Application/JSON;charset=UTF-8;profile="x"';

/** Writes what was to be sent with a byte order mark and much white space, under a media type in other letters. */
const written: Alter = (answer) => ({
  ...answer,
  headers: { ...answer.headers, 'content-type': contentType },
  raw: `\uFEFF\r\n${JSON.stringify(answer.body, null, '\t')}\n\n`,
});

/** What a careless suite would reject, and the contract does not. */
export const ways = [
  'offset counts pages',
  'pages are short',
  'rejections are envelopes with HTTP 200',
  'unknown parameters are rejected',
  'only customers of stores are listed by default',
  'headers that nobody named',
  'fields that nobody named',
  'a byte order mark, much white space and a media type in other letters',
  'answers come late, and in pieces',
  'only where JSON is requested',
  'no rule names a business',
];

/** One provider that keeps the contract in all these ways. */
export const varying: MockOptions = {
  choices: {
    offsetCounts: 'pages',
    maxLimit: 5,
    rejection: 'http-200',
    unknownParameters: 'rejected',
    defaultSource: 'Store',
    headers: { 'set-cookie': 'a=b', 'x-powered-by': 'x', 'cache-control': 'no-store' },
    chunked: true,
    delayMs: 30,
    strictAccept: true,
  },
  alter: inTurn(undeclared, without('feeRule', 'business_id'), written),
};
