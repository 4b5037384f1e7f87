import type { MockAnswer } from '../answers.ts';
import type { Choices } from '../choices.ts';
import { answering, withoutUser } from '../edits.ts';
import { differingIn, type Variant } from './variant.ts';

const types = { html: 'text/html; charset=utf-8', plain: 'text/plain' };
const page = '<!doctype html><title>Oops</title><p>user_id is missing';

const answers: [string, Partial<MockAnswer>][] = [
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
  ['HTTP 200 and another form', { body: { error: { reason: 'user_id' }, fee_rules: null } }],
  ['HTTP 200 and half a document', { raw: '{"code":200,"data":{"fee_rules":[' }],
  ['HTTP 200 and bytes that are no text', { raw: Buffer.from([0xff, 0xfe, 0x00]) }],
];

/** Error responses in the form that the provider chooses, for the contract gives them none (contract 7). */
export const rejections: Variant[] = [
  ...(['http-200', 'html'] satisfies Choices['rejection'][]).map((rejection) => ({
    name: `rejections as ${rejection}`,
    choices: { rejection },
  })),
  ...differingIn(
    'fee rules',
    answers.map(([name, answer]) => ({
      name: `a user lookup without user_id rejected with ${name}`,
      alter: answering('getFeeRules', withoutUser, answer),
    })),
  ),
];
