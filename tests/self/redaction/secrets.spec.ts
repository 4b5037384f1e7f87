import { expect, test } from '@playwright/test';
import type { Target } from '../../../src/client/target.ts';
import { showsOf } from '../../../src/redact/disclosure.ts';
import { maskOf, Secrets, secretsOf } from '../../../src/redact/secrets.ts';
import { exampleTarget } from '../harness/examples.ts';

const transport = { proxy: undefined, clientCertificate: undefined, allowInvalidCertificates: false };
const basic = Buffer.from('kumquat:opal-gate').toString('base64');
const odd = 'ä"<&>/ +\\opal?';
const bytes = Buffer.from(odd);
const withHeader = (value: string): Partial<Target> => ({ headers: { 'X-Key': value } });
const at = (url: string): Partial<Target> => ({ baseUrl: url });

/** What is configured, and texts of which nothing but the stars may be left. */
const masked: [name: string, configured: Partial<Target>, texts: string[]][] = [
  ['a header', withHeader('opalgate'), ['opalgate', 'OPALGATE', 'opal gate']],
  ['other separators', withHeader('opal-gate-77'), ['opal_gate_77', 'opalgate77', 'OPAL gate.77']],
  ['Basic', withHeader(`Basic ${basic}`), ['kumquat', 'opal-gate', 'kumquat:opal-gate', basic]],
  ['a cookie', withHeader('a=1; session=opal'), ['opal', 'a=1; session=opal']],
  ['a longer secret', { headers: { a: 'opal', b: 'opal+gate' } }, ['opal+gate']],
  [
    'the user of BASE_URL',
    at('http://ku%40mq:op%2Fal@h'),
    ['ku%40mq', 'ku@mq', 'op%2Fal', 'op/al', 'ku@mq:op/al'],
  ],
  ['the proxy', { transport: { ...transport, proxy: 'http://kumquat:opal@h' } }, ['kumquat', 'opal']],
  ['an identifier', { ...at('http://h'), identifiers: { CARD_IDS: ['opal-1'] } }, ['opal-1']],
  ['JSON', withHeader(odd), [odd, JSON.stringify(odd).slice(1, -1)]],
  ['a URL', withHeader(odd), [encodeURIComponent(odd), new URLSearchParams({ a: odd }).toString().slice(2)]],
  ['bytes', withHeader(odd), [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')]],
  ['HTML', withHeader(odd), [odd.replace('&', '&amp;').replace('<', '&lt;').replace('"', '&quot;')]],
  ['signs alone', withHeader('#+*!#'), ['#+*!#']],
  ['half a character', withHeader('opal\ud800gate'), ['opal\ud800gate']],
];

const shownWith = (configured: Partial<Target>, word: string) =>
  showsOf(new Secrets(secretsOf({ ...exampleTarget(), baseUrl: undefined, ...configured })), {})(word);

for (const [name, configured, texts] of masked)
  test(`a sentence holds no secret, and none is shown as a word: ${name}`, () => {
    const mask = maskOf({ ...exampleTarget(), ...configured });
    for (const text of texts) {
      expect(mask(`at ${text}, or near`)).toBe('at ***, or near');
      expect(shownWith(configured, text)).toBe(false);
    }
  });

const token = `Bearer eyJhbGciOiJub25lIn0.${Buffer.from('{"sub":"kumquat"}').toString('base64url')}.c2ln`;

/** What is configured, and a word that nothing else would withhold. */
const withheld: [name: string, configured: Partial<Target>, word: string][] = [
  ['of four letters', withHeader('quix'), 'quix'],
  ['in another letter case', withHeader('kumquatberry'), 'KumQuatBerry'],
  ['with other separators', withHeader('kumquat berry'), 'kumquat_berry'],
  ['cut', withHeader('kumquatberry'), 'quatber'],
  ['inside another word', withHeader('kumquat'), 'the-kumquat-tree'],
  ['with accents', { transport: { ...transport, proxy: 'http://qu%C3%ADnc%C3%A9:p@h' } }, 'quince'],
  ['a claim of a JSON Web Token', withHeader(token), 'kumquat'],
];

for (const [name, configured, word] of withheld)
  test(`a secret is not shown ${name}`, () => {
    expect(shownWith({}, word)).toBe(true);
    expect(shownWith(configured, word)).toBe(false);
  });

test('identifiers of the mock are no secret, nor is what is too short to be one', () => {
  const mask = maskOf({ ...exampleTarget(), baseUrl: undefined, headers: { a: 'Bearer kumquat', b: 'abc' } });
  const [id = ''] = Object.values(exampleTarget().identifiers).flat();
  const text = `card ${id}: Bearer, or abc`;
  expect(mask(text)).toBe(text);
  expect(shownWith(withHeader('kumquat'), 'kum')).toBe(true);
});
