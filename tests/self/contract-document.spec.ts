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
    expect(error).toBeInstanceOf(ContractError);
    return (error as ContractError).message;
  }
}

test('the contract is accepted', () => {
  expect(problemOf({})).toBeUndefined();
  expect(buildContract(texts)).toMatchObject({ operations: { length: 4 }, ledger: { length: 6 } });
});

/** One sentence for people: file, line, what to do, and nothing of the inside of the suite. */
function expectSentence(message: string | undefined): void {
  expect(message).toMatch(/^spec\/[a-z]+\.yaml, line \d+: .+; .+$/);
  expect(message).not.toMatch(
    /\n|\bat .*:\d+:\d+|node_modules|\.ts\b|TypeError|undefined|\[object|strict mode/,
  );
}

for (const [file, rows] of Object.entries({ 'openapi.yaml': documentBreaks, ...breaks }))
  for (const [name, old, by, at, says] of rows)
    test(`${file} with ${name} is one sentence with its line`, () => {
      const text = texts[file as keyof SpecTexts];
      expect(text).toContain(old);
      const broken = text.replace(old, () => by);
      const message = problemOf({ [file]: broken });
      expectSentence(message);
      expect(message).toMatch(says);
      const line = broken.slice(0, broken.indexOf(at)).split('\n').length;
      expect(message).toContain(`spec/${file}, line ${line}: `);
    });

const nothing = { empty: '', 'a comment': '# nothing\n', 'a sentence': 'All is well.', 'a number': '7' };

for (const file of Object.keys(texts) as (keyof SpecTexts)[])
  for (const [name, text] of Object.entries({ ...nothing, 'a map': 'a: 1', 'a list': '- 1' }))
    test(`${file} that is ${name} is one sentence, or says nothing`, () => {
      const message = problemOf({ [file]: text });
      const isNothing = name === 'empty' || name === 'a comment';
      if (file === 'ledger.yaml' && isNothing) expect(message).toBeUndefined();
      else expectSentence(message);
    });

const keys =
  'get operationId tags summary description x-source parameters name in required schema responses content examples ' +
  'value components schemas type enum items properties format pattern const x-data-classification category ' +
  'sensitivity x-values-that-occur x-observed-names';

for (const key of keys.split(' '))
  test(`a misspelt \`${key}\` is found, at its line`, () => {
    const text = texts['openapi.yaml'];
    const at = text.indexOf(`${key}:`, text.indexOf('paths:'));
    const broken = `${text.slice(0, at)}x${text.slice(at)}`;
    const message = problemOf({ 'openapi.yaml': broken });
    expectSentence(message);
    expect(message).toMatch(/unknown key|missing|unknown keyword/);
  });
