import assert from 'node:assert/strict';
import { expect, test } from '@playwright/test';
import { buildContract, readSpecTexts, type SpecTexts } from '../../../schemas/contract/contract.ts';
import { ContractError } from '../../../schemas/contract/files.ts';
import { breaks } from './breaks.ts';

const texts = readSpecTexts();

/** What the suite says of a contract; undefined when it is a good one. */
function problemOf(changed: Partial<SpecTexts>): string | undefined {
  try {
    buildContract({ ...texts, ...changed });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ContractError, String(error));
    return error.message;
  }
}

const inside = /\n|\bat .*:\d+:\d+|node_modules|\.ts\b|TypeError|undefined|\[object|strict mode/;

/** One sentence for people: file, line, what to do, and nothing of the inside of the suite. */
const isSentence = (message = '') =>
  /^spec\/[a-z]+\.yaml, line \d+: .+; .+$/.test(message) && !inside.test(message);

type Row = [name: string, holds: boolean, message: string | undefined];

/** Rows of which something does not hold, all of them, each with what was said. */
const failing = (rows: Row[]) =>
  rows.filter(([, holds]) => !holds).map(([name, , message]) => `${name}: ${message}`);

for (const [file, rows] of Object.entries(breaks))
  test(`${file} with any of ${rows.length} mistakes is one sentence with its line`, () => {
    const said = rows.map(([old, by, says, at]): Row => {
      const text = texts[file as keyof SpecTexts];
      const broken = text.replace(old, () => by);
      const message = problemOf({ [file]: broken }) ?? '';
      const before = broken.slice(0, at === undefined ? text.indexOf(old) : broken.indexOf(at));
      const isThere = message.includes(`spec/${file}, line ${before.split('\n').length}: `);
      return [`"${old}" as "${by}"`, isThere && isSentence(message) && says.test(message), message];
    });
    expect(failing(said)).toEqual([]);
  });

const nothing = { empty: '', 'a comment': '# nothing\n', 'a sentence': 'All is well.', 'a number': '7' };

for (const file of Object.keys(texts) as (keyof SpecTexts)[])
  test(`${file} of another kind is one sentence, or says nothing`, () => {
    const kinds = Object.entries({ ...nothing, 'a map': 'a: 1', 'a list': '- 1', 'a list of nothing': '-' });
    const said = kinds.map(([name, text]): Row => {
      const message = problemOf({ [file]: text });
      const isNothing = file === 'ledger.yaml' && (name === 'empty' || name === 'a comment');
      return [name, isNothing ? message === undefined : isSentence(message), message];
    });
    expect(failing(said)).toEqual([]);
  });

/** Keys of each file, each misspelt where it stands first behind a text. */
const keys: [file: keyof SpecTexts, behind: string, keys: string][] = [
  ['openapi.yaml', '', 'servers components'],
  [
    'openapi.yaml',
    'paths:',
    'get operationId tags summary description x-source parameters name in required schema responses content examples ' +
      'value schemas type enum items properties format pattern const x-data-classification category sensitivity ' +
      'x-values-that-occur x-observed-names',
  ],
  ['requirements.yaml', '- address', 'operations level statement source check uniqueKeys when pointer'],
  ['ledger.yaml', '- requirement', 'accepts because source schema name'],
  ['questions.yaml', '- id', 'section question asked answers unaskable requests'],
];

for (const [file, behind, names] of keys)
  test(`a misspelt key of ${file} behind "${behind}" is found, at its line`, () => {
    const text = texts[file];
    const said = names.split(' ').map((key): Row => {
      const at = text.indexOf(`${key}:`, text.indexOf(behind));
      const message = problemOf({ [file]: `${text.slice(0, at)}x${text.slice(at)}` }) ?? '';
      const isThere = message.includes(`spec/${file}, line ${text.slice(0, at).split('\n').length}: `);
      const isFound =
        isThere && new RegExp(`unknown key(word:)? "x${key}"|"${key}" is missing`).test(message);
      return [key, isFound && isSentence(message), message];
    });
    expect(failing(said)).toEqual([]);
  });
