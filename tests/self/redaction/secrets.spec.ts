import { expect, test } from '@playwright/test';
import type { Target } from '../../../src/client/target.ts';
import { createDisclosureFilter } from '../../../src/redact/disclosure.ts';
import { collectSecrets, createMask, Secrets } from '../../../src/redact/secrets.ts';
import { exampleTarget } from '../harness/examples.ts';

const transport = { proxy: undefined, clientCertificate: undefined, allowInvalidCertificates: false };
const basic = Buffer.from('kumquat:opal-gate').toString('base64');
const oddSecret = 'ä"<&>/ +\\opal?';
const bytes = Buffer.from(oddSecret);
const createHeaderTarget = (value: string): Partial<Target> => ({ headers: { 'X-Key': value } });
const createUrlTarget = (url: string): Partial<Target> => ({ baseUrl: url });

/** Setting with a secret, and spellings of the secret that must be masked. */
const maskedRows: [name: string, settings: Partial<Target>, texts: string[]][] = [
  ['a header', createHeaderTarget('opalgate'), ['opalgate', 'OPALGATE', 'opal gate']],
  ['other separators', createHeaderTarget('opal-gate-77'), ['opal_gate_77', 'opalgate77', 'OPAL gate.77']],
  ['Basic', createHeaderTarget(`Basic ${basic}`), ['kumquat', 'opal-gate', 'kumquat:opal-gate', basic]],
  ['a cookie', createHeaderTarget('a=1; session=opal'), ['opal', 'a=1; session=opal']],
  ['a longer secret', { headers: { a: 'opal', b: 'opal+gate' } }, ['opal+gate']],
  [
    'the user of BASE_URL',
    createUrlTarget('http://ku%40mq:op%2Fal@h'),
    ['ku%40mq', 'ku@mq', 'op%2Fal', 'op/al', 'ku@mq:op/al'],
  ],
  ['the proxy', { transport: { ...transport, proxy: 'http://kumquat:opal@h' } }, ['kumquat', 'opal']],
  ['an identifier', { ...createUrlTarget('http://h'), identifiers: { CARD_IDS: ['opal-1'] } }, ['opal-1']],
  ['JSON', createHeaderTarget(oddSecret), [oddSecret, JSON.stringify(oddSecret).slice(1, -1)]],
  [
    'a URL',
    createHeaderTarget(oddSecret),
    [encodeURIComponent(oddSecret), new URLSearchParams({ a: oddSecret }).toString().slice(2)],
  ],
  [
    'bytes',
    createHeaderTarget(oddSecret),
    [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')],
  ],
  [
    'HTML',
    createHeaderTarget(oddSecret),
    [oddSecret.replace('&', '&amp;').replace('<', '&lt;').replace('"', '&quot;')],
  ],
  [
    'HTML of Express, Go and Python',
    createHeaderTarget(`opal>'"gate`),
    ['opal&gt;&#39;&quot;gate', 'opal&gt;&#39;&#34;gate', 'opal&gt;&#x27;&quot;gate'],
  ],
  [
    'accents',
    createHeaderTarget('Élodie-gate'),
    ['Élodie-gate', 'Élodie-gate'.normalize('NFD'), 'elodie-gate'],
  ],
  ['signs alone', createHeaderTarget('#+*!#'), ['#+*!#']],
  ['half a character', createHeaderTarget('opal\ud800gate'), ['opal\ud800gate']],
];

function isShownWith(settings: Partial<Target>, word: string): boolean {
  const target = { ...exampleTarget(), baseUrl: undefined, ...settings };
  const secrets = new Secrets(collectSecrets(target));
  const responseBody = {};
  const mayShow = createDisclosureFilter(secrets, responseBody);
  return mayShow(word);
}

for (const [name, settings, texts] of maskedRows)
  test(`a secret is masked in sentences and not shown as a word: ${name}`, () => {
    const mask = createMask({ ...exampleTarget(), ...settings });
    for (const text of texts) {
      expect(mask(`at ${text}, or near`)).toBe('at ***, or near');
      expect(isShownWith(settings, text)).toBe(false);
    }
  });

const token = `Bearer eyJhbGciOiJub25lIn0.${Buffer.from('{"sub":"kumquat"}').toString('base64url')}.c2ln`;

const withheldRows: [name: string, settings: Partial<Target>, word: string][] = [
  ['of four letters', createHeaderTarget('quix'), 'quix'],
  ['in another letter case', createHeaderTarget('kumquatberry'), 'KumQuatBerry'],
  ['with other separators', createHeaderTarget('kumquat berry'), 'kumquat_berry'],
  ['cut', createHeaderTarget('kumquatberry'), 'quatber'],
  ['inside another word', createHeaderTarget('kumquat'), 'the-kumquat-tree'],
  ['with accents', { transport: { ...transport, proxy: 'http://qu%C3%ADnc%C3%A9:p@h' } }, 'quince'],
  ['a claim of a JSON Web Token', createHeaderTarget(token), 'kumquat'],
];

for (const [name, settings, word] of withheldRows)
  test(`a secret is not shown ${name}`, () => {
    expect(isShownWith({}, word)).toBe(true);
    expect(isShownWith(settings, word)).toBe(false);
  });

test('identifiers of the mock and texts that are too short are no secrets', () => {
  const mask = createMask({
    ...exampleTarget(),
    baseUrl: undefined,
    headers: { a: 'Bearer kumquat', b: 'abc' },
  });
  const [id = ''] = Object.values(exampleTarget().identifiers).flat();
  const text = `card ${id}: Bearer, or abc`;
  expect(mask(text)).toBe(text);
  expect(isShownWith(createHeaderTarget('kumquat'), 'kum')).toBe(true);
});
