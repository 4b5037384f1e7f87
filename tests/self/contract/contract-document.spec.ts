import assert from 'node:assert/strict';
import { expect, test } from '@playwright/test';
import { buildContract, readSpecTexts, type SpecTexts } from '../../../schemas/contract/contract.ts';
import { ContractError } from '../../../schemas/contract/files.ts';
import { mistakesByFile } from './breaks.ts';

const texts = readSpecTexts();

function readContractError(changedTexts: Partial<SpecTexts>): string | undefined {
  try {
    buildContract({ ...texts, ...changedTexts });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ContractError, String(error));
    return error.message;
  }
}

const internalsPattern = /\n|\bat .*:\d+:\d+|node_modules|\.ts\b|TypeError|undefined|\[object|strict mode/;

const isCompleteMessage = (message = '') =>
  /^spec\/[a-z]+\.yaml, line \d+: .+; .+$/.test(message) && !internalsPattern.test(message);

type CheckRow = [name: string, holds: boolean, message: string | undefined];

const listFailures = (rows: CheckRow[]) =>
  rows.filter(([, holds]) => !holds).map(([name, , message]) => `${name}: ${message}`);

for (const [file, rows] of Object.entries(mistakesByFile))
  test(`${file} with any of ${rows.length} mistakes is reported in one sentence with its line`, () => {
    const results = rows.map(([oldText, newText, messagePattern, reportedText]): CheckRow => {
      const text = texts[file as keyof SpecTexts];
      const broken = text.replace(oldText, () => newText);
      const message = readContractError({ [file]: broken }) ?? '';
      // The error must name the line in which `reportedText` begins, or by default the replaced text.
      const textBefore = broken.slice(
        0,
        reportedText === undefined ? text.indexOf(oldText) : broken.indexOf(reportedText),
      );
      const hasLine = message.includes(`spec/${file}, line ${textBefore.split('\n').length}: `);
      return [
        `"${oldText}" as "${newText}"`,
        hasLine && isCompleteMessage(message) && messagePattern.test(message),
        message,
      ];
    });
    expect(listFailures(results)).toEqual([]);
  });

const textsWithoutContent = {
  empty: '',
  'a comment': '# nothing\n',
  'a sentence': 'All is well.',
  'a number': '7',
};

for (const file of Object.keys(texts) as (keyof SpecTexts)[])
  test(`${file} with other content is reported in one sentence, or is an empty ledger`, () => {
    const contents = Object.entries({
      ...textsWithoutContent,
      'a map': 'a: 1',
      'a list': '- 1',
      'a list of nothing': '-',
    });
    const results = contents.map(([name, text]): CheckRow => {
      const message = readContractError({ [file]: text });
      const isEmptyLedger = file === 'ledger.yaml' && (name === 'empty' || name === 'a comment');
      return [name, isEmptyLedger ? message === undefined : isCompleteMessage(message), message];
    });
    expect(listFailures(results)).toEqual([]);
  });

/**
 * Space-separated keys of a file. A test misspells one at a time, where it first occurs after `precedingText`: `servers` becomes
 * `xservers`.
 */
const keyRows: [file: keyof SpecTexts, precedingText: string, keys: string][] = [
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

for (const [file, precedingText, names] of keyRows)
  test(`a misspelt key of ${file} after "${precedingText}" is reported with its line`, () => {
    const text = texts[file];
    const results = names.split(' ').map((key): CheckRow => {
      const keyIndex = text.indexOf(`${key}:`, text.indexOf(precedingText));
      const misspeltText = `${text.slice(0, keyIndex)}x${text.slice(keyIndex)}`;
      const message = readContractError({ [file]: misspeltText }) ?? '';
      const hasLine = message.includes(`spec/${file}, line ${text.slice(0, keyIndex).split('\n').length}: `);
      const isReported =
        hasLine && new RegExp(`unknown key(word:)? "x${key}"|"${key}" is missing`).test(message);
      return [key, isReported && isCompleteMessage(message), message];
    });
    expect(listFailures(results)).toEqual([]);
  });
