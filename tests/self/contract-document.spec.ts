import assert from 'node:assert/strict';
import { expect, test } from '@playwright/test';
import { buildContract, ContractError, readSpecTexts, type SpecTexts } from '../../schemas/contract.ts';
import { breaks } from './contract-breaks.ts';
import { documentBreaks } from './document-breaks.ts';

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

test('the contract is accepted', () => {
  expect(problemOf({})).toBeUndefined();
  expect(buildContract(texts)).toMatchObject({ operations: { length: 4 }, ledger: { length: 6 } });
});

/** One sentence for people: file, line, what to do, and nothing of the inside of the suite. */
function assertSentence(message: string | undefined, name: string): void {
  assert.match(message ?? '', /^spec\/[a-z]+\.yaml, line \d+: .+; .+$/, `${name}: ${message}`);
  const inside = /\n|\bat .*:\d+:\d+|node_modules|\.ts\b|TypeError|undefined|\[object|strict mode/;
  assert.doesNotMatch(message ?? '', inside, `${name}: ${message}`);
}

for (const [file, rows] of Object.entries({ 'openapi.yaml': documentBreaks, ...breaks }))
  test(`${file} with any of ${rows.length} mistakes is one sentence with its line`, () => {
    expect(rows.length).toBeGreaterThan(3);
    for (const [name, old, by, at, says] of rows) {
      const text = texts[file as keyof SpecTexts];
      assert.ok(text.includes(old), name);
      const broken = text.replace(old, () => by);
      const message = problemOf({ [file]: broken }) ?? '';
      const line = broken.slice(0, broken.indexOf(at)).split('\n').length;
      assertSentence(message, name);
      assert.match(message, says, name);
      assert.ok(message.includes(`spec/${file}, line ${line}: `), `${name} in line ${line}: ${message}`);
    }
  });

const nothing = { empty: '', 'a comment': '# nothing\n', 'a sentence': 'All is well.', 'a number': '7' };

for (const file of Object.keys(texts) as (keyof SpecTexts)[])
  test(`${file} of another kind is one sentence, or says nothing`, () => {
    for (const [name, text] of Object.entries({ ...nothing, 'a map': 'a: 1', 'a list': '- 1' })) {
      const message = problemOf({ [file]: text });
      const isNothing = name === 'empty' || name === 'a comment';
      if (file === 'ledger.yaml' && isNothing) assert.equal(message, undefined, name);
      else assertSentence(message, name);
    }
  });

const keys =
  'get operationId tags summary description x-source parameters name in required schema responses content examples ' +
  'value components schemas type enum items properties format pattern const x-data-classification category ' +
  'sensitivity x-values-that-occur x-observed-names';

test('a misspelt key is found, at its line', () => {
  const text = texts['openapi.yaml'];
  for (const key of keys.split(' ')) {
    const at = text.indexOf(`${key}:`, text.indexOf('paths:'));
    const broken = `${text.slice(0, at)}x${text.slice(at)}`;
    const message = problemOf({ 'openapi.yaml': broken });
    assertSentence(message, key);
    assert.match(message ?? '', /unknown key|missing|unknown keyword/, key);
  }
});
