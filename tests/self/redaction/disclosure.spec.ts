import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import type { Alter } from '../../../mock/server.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import type { Target } from '../../configuration/target.ts';
import { maskOf } from '../../redaction/secrets.ts';
import { exampleTarget } from '../harness/examples.ts';
import { behaviourOf, briefBehaviourOf } from '../harness/observing.ts';

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

/** Says a word wherever a word of a target may be shown. */
const saying = (word: string): Alter =>
  inTurn(
    altering('getCard', set('data/card/status', word)),
    altering('getCard', set('data/card/physical_status', word)),
    altering('getCustomer', set(`data/${word}`, 1)),
    altering('listCustomers', set('data/customers/0/default_payment_token/token_type', word)),
    (answer, { operation, parameters }) =>
      operation === 'getFeeRules' && parameters.type === 'business'
        ? { ...answer, headers: { 'content-type': `text/${word.toLowerCase().replace(/[^a-z]/g, '')}` } }
        : answer,
    (answer) =>
      answer.status < 400 ? answer : { ...answer, body: { code: answer.status, [word]: 1, rest: null } },
  );

/** How often a word is in what would be written, in any letter case, with any separators. */
function timesShown(word: string, run: unknown): number {
  const fold = (text: string) => text.toLowerCase().replace(/[-_ ]/g, '');
  return fold(JSON.stringify(run)).split(fold(word)).length - 1;
}

/** Without probes: ordinary requests show a word wherever these do, errors among them. */
async function shown(word: string, target: Partial<Target>, alter = saying(word)): Promise<number> {
  const { observations, observed, findings } = await briefBehaviourOf(
    { alter },
    { probes: false, ...target },
  );
  return timesShown(word, [observations, observed, findings]);
}

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

/** Places where something personal may stand, each with a name that another answer says where words are shown. */
const personal: Record<string, Alter> = {
  'a declared field': altering('listCustomers', set('data/customers/3/name', 'Ada Lovelace')),
  'an undeclared field': altering('listCustomers', set('data/owner', { by: ['LOVELACE'] })),
  'a name inside an undeclared field': altering('listCustomers', set('data/owner', { Lovelace: 1 })),
  'an escaped text': altering('getFeeRules', set('message', 'ok \u0000 "Lovelace" \\')),
  'the text of an error': (answer) =>
    answer.status < 400 ? answer : { ...answer, body: { code: 4, message: 'no lovelace here' } },
  'a page of HTML': (answer) =>
    answer.status < 400 ? answer : { ...answer, raw: '<title>No Lovelace</title>' },
  'a header': (answer) => ({ ...answer, headers: { ...answer.headers, 'x-owner': 'ada.lovelace' } }),
};

for (const [place, alter] of Object.entries(personal)) {
  test(`a word that stands in ${place} is shown nowhere`, async () => {
    const both = inTurn(alter, altering('getCard', set('data/card/status', 'Lovelace')));
    expect(await shown('Lovelace', {}, both)).toBe(0);
  });
}

/** Texts in fields that are not public, and pieces that another answer says of them. */
const pieces: Record<string, [hidden: Alter, said: string[]]> = {
  'a name': [
    altering('listCustomers', set('data/customers/3/name', 'Maria Anna Luisa Gonzales Baumgartner')),
    ['Maria_Anna_Luisa', 'MariaAnna', 'baumgart'],
  ],
  'an e-mail address': [
    altering('listCustomers', set('data/customers/3/email', 'a@tiefenseebank.example')),
    ['tiefensee'],
  ],
  'a title': [altering('getCard', set('data/card/title', 'Lindenstrasse 7')), ['lindenstr']],
  'a token': [
    altering(
      'listCustomers',
      set('data/customers/0/default_payment_token/token', 'tok_live_SUPERSECRETvalue'),
    ),
    ['SUPERSECRET'],
  ],
};

for (const [place, [hidden, said]] of Object.entries(pieces))
  for (const piece of said)
    test(`${piece}, a piece of ${place}, is shown nowhere`, async () => {
      expect(await shown(piece, {}, inTurn(hidden, saying(piece)))).toBe(0);
    });

/** Words that say more than a text which is not public. */
const around: Record<string, string> = {
  'the whole of a text': 'xKumquatBerryTree',
  'a word of it': 'old_kumquat',
  'it, with letters before and behind': 'theBERRYof',
};

for (const [part, said] of Object.entries(around))
  test(`a word that holds ${part} is shown nowhere`, async () => {
    const hidden = altering('listCustomers', set('data/customers/3/name', 'Kumquat Berry'));
    expect(await shown(said, {})).toBeGreaterThan(0);
    expect(await shown(said, {}, inTurn(hidden, saying(said)))).toBe(0);
  });

test('a code that is a piece of a phone number is not shown', async () => {
  const phone = altering('listCustomers', set('data/customers/3/phone', '1701234567'));
  for (const code of [170123, 17012, 4567]) {
    const both = inTurn(phone, (answer) => (answer.status === 400 ? { ...answer, body: { code } } : answer));
    expect(await shown(`${code}`, {}, both), `${code}`).toBe(0);
  }
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
