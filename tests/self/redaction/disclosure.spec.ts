import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import type { Alter } from '../../../mock/server.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../configuration/target.ts';
import { Disclosure } from '../../redaction/disclosure.ts';
import { quote, render } from '../../redaction/drafts.ts';
import { maskOf } from '../../redaction/secrets.ts';
import { exampleTarget } from '../harness/examples.ts';
import { behaviourOf } from '../harness/observing.ts';
import { shown, timesShown } from './shown-words.ts';

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const transport = { proxy: undefined, clientCertificate: undefined, allowInvalidCertificates: false };
const withTransport = (more: Partial<Target['transport']>): Partial<Target> => ({
  transport: { ...transport, ...more },
});
const withHeader = (value: string): Partial<Target> => ({ headers: { 'X-Key': value } });

/** A secret as it is configured, and as a target may say it again. */
const secrets: [name: string, configured: Partial<Target>, said: string][] = [
  ['letters only', withHeader('kumquatberry'), 'kumquatberry'],
  ['of four letters', withHeader('quix'), 'quix'],
  ['in another letter case', withHeader('kumquatberry'), 'KumQuatBerry'],
  ['with other separators', withHeader('kumquat berry'), 'kumquat_berry'],
  ['cut by a blank', withHeader('kumquat berry'), 'kumquat'],
  ['cut anywhere', withHeader('kumquatberry'), 'quatber'],
  ['inside another word', withHeader('kumquat'), 'the-kumquat-tree'],
  ['cut, inside another word', withHeader('Bearer GrandOpalToken'), 'xGrandO'],
  ['cut, inside another word, in another letter case', withHeader('kiwifruit-4711-lane'), 'my_KIWIF'],
  ['with accents', withTransport({ proxy: 'http://qu%C3%ADnc%C3%A9:p@localhost:1' }), 'quince'],
  ['a part of a cookie', withHeader('a=pear; session=kumquat'), 'kumquat'],
  ['a part of a list', withHeader('pear,kumquat'), 'kumquat'],
  ['the user of Basic', withHeader(basic('kumquat:quince')), 'kumquat'],
  ['the password of Basic', withHeader(basic('kumquat:quince')), 'quince'],
  ['in Base64', withHeader('kumquatberry'), Buffer.from('kumquatberry').toString('base64')],
  ['the user of the proxy', withTransport({ proxy: 'http://kumquat:p@localhost:1' }), 'kumquat'],
  [
    'a passphrase',
    withTransport({ clientCertificate: { certPath: '', keyPath: '', passphrase: 'kumquatberry' } }),
    'Kumquatberry',
  ],
];

test('a word that nobody keeps secret is shown, in answers, names of fields and media types', async () => {
  const times = await shown('kumquat', {});
  expect(times).toBeGreaterThanOrEqual(6);
  expect(await shown('kumquat', { probes: true })).toBe(times);
});

for (const [name, configured, said] of secrets) {
  test(`a secret ${name} is not shown`, async () => {
    expect(await shown(said, configured)).toBe(0);
  });
}

test('what AUTH_MODULE returned is not shown, though it was not known before', async () => {
  const authModule = test.info().outputPath('sign.mjs');
  writeFileSync(authModule, `export default () => ({ 'x-signature': 'kumquat quince' });`);
  expect(await shown('quince', { authModule })).toBe(0);
});

test('what AUTH_MODULE throws is not shown in evidence either', async () => {
  const authModule = test.info().outputPath('sign.mjs');
  const text = 'class kumquatberry extends Error {}\nlet count = 0;';
  writeFileSync(
    authModule,
    `${text}\nexport default () => { if ((count += 1) > 25) throw new kumquatberry(); return {}; };`,
  );
  expect(await shown('threw', { authModule, probes: true })).toBeGreaterThan(0);
  expect(await shown('kumquatberry', { authModule, probes: true })).toBeGreaterThan(0);
  expect(await shown('kumquatberry', { authModule, probes: true, ...withHeader('kumquatberry') })).toBe(0);
});

test('an identifier is not shown, even if it ends like one that a probe has made up', async () => {
  const uuid = 'lovelace-not-a-uuid';
  const alter: Alter = inTurn(
    altering('listCustomers', set('data/customers/0/uuid', uuid)),
    altering('getCard', set('data/card/status', 'lovelace')),
  );
  expect(await shown('lovelace', { probes: true }, alter)).toBe(0);
  expect(await shown('not-a-uuid', { probes: true })).toBeGreaterThan(0);
});

test('a code that is a secret is not shown', async () => {
  const alter: Alter = (answer) => (answer.status === 400 ? { ...answer, body: { code: 48151 } } : answer);
  expect(await shown('48151', {}, alter)).toBeGreaterThan(0);
  expect(await shown('48151', withHeader('48151'), alter)).toBe(0);
});

test('words of the contract and of HTTP are shown, also where they are secrets', async () => {
  const alter = inTurn(
    altering('getCard', set('data/card/status', 'CreditCard')),
    altering('getFeeRules', (answer) => ({ ...answer, headers: { 'content-type': 'text/html' } })),
  );
  const target = { headers: { a: 'CreditCard', b: 'text/html', c: 'html' }, probes: false };
  const { observations, answers } = await behaviourOf({ alter }, target);
  expect(answers['card-statuses']).toBe('CreditCard');
  expect(timesShown('text/html', observations)).toBeGreaterThan(0);
});

test('free text is masked in any letter case and encoding, with any separators', () => {
  const mask = maskOf(exampleTarget({ headers: { a: 'kumquat-berry', b: 'p%ss w&rd', c: '#+*!#' } }));
  const forms = ['kumquat-berry', 'KUMQUAT_BERRY', 'kumquatberry', 'p%ss w&rd', 'p%25ss%20w%26rd', '#+*!#'];
  for (const form of forms) expect(mask(`of ${form}/x`), form).toBe('of ***/x');
  expect(mask('nothing of it')).toBe('nothing of it');
});

test('a name of short words is not shown where they make up a secret', () => {
  const { shows } = new Disclosure(exampleTarget(withHeader('kumquat')), loadContract());
  expect(['text/kum.qua.t', 'text/fig.qua.t'].map(shows)).toEqual([false, true]);
});

test('a text that holds marks of drafts is not quoted', () => {
  for (const mark of ['\ue000', '\ue001', '\ue002', '\ue003'])
    expect(render(quote(`fig${mark}`, 'a word'), () => true)).toBe('a word');
});

test('of a quotation that was cut nothing is shown', () => {
  const draft = quote('fig', 'a word');
  for (let length = 1; length < draft.length - 1; length += 1)
    expect(render(draft.slice(0, length), () => true)).toBe('(withheld)');
});

test('of a response that was not learned from no word is shown that nobody has published', () => {
  const { settle, settleUnlearned } = new Disclosure(exampleTarget(), loadContract());
  const found = { pointer: quote('kumquat', '*'), actual: quote('kumquat', 'a word') };
  const observation = { contentType: quote('text/kumquat', 'another'), findings: [found] };
  expect(settle(observation)).toEqual({
    contentType: 'text/kumquat',
    findings: [{ pointer: 'kumquat', actual: 'kumquat' }],
  });
  expect(settleUnlearned(observation)).toEqual({
    contentType: 'another',
    findings: [{ pointer: '*', actual: 'a word' }],
  });
});

test('a word of a header is not shown, but of Content-Type, nor is what reads like no word', () => {
  const disclosure = new Disclosure(exampleTarget(), loadContract());
  const { shows } = disclosure;
  expect(['kumquat', 'quince', 'Ada Lovelace', 'text/Ada9999'].map(shows)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const headers = { 'x-trace': 'kumquat-77', 'content-type': 'text/quince' };
  disclosure.learn(
    'getCard',
    { status: 200, contentType: 'text/quince', headers, body: Buffer.alloc(0) },
    '',
  );
  expect(['kumquat', 'quince'].map(shows)).toEqual([false, true]);
});
