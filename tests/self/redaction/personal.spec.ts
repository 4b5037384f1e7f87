import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import type { Alter } from '../../../mock/server.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import { saying, shown } from './shown-words.ts';

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

test('beside a response that is not read, no word of a target is shown', async () => {
  const broken: Alter = (answer, { operation }) =>
    operation === 'getFeeRules' ? { ...answer, headers: { 'x-large': 'a'.repeat(70_000) } } : answer;
  expect(await shown('kumquat', {}, inTurn(saying('kumquat'), broken))).toBe(0);
});

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
  'six letters of it': 'xKumqua',
};

for (const [part, said] of Object.entries(around))
  test(`a word that holds ${part} is shown nowhere`, async () => {
    const hidden = altering('listCustomers', set('data/customers/3/name', 'Kúmquat Berry'));
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
