import { expect, test } from '@playwright/test';
import { buildContract, ContractError, readSpecTexts, type SpecTexts } from '../../schemas/contract.ts';
import { breaks } from './contract-breaks.ts';

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
  expect(buildContract(texts)).toMatchObject({ operations: { length: 4 }, ledger: { length: 4 } });
});

/** One sentence for people: file, line, what to do, and nothing of the inside of the suite. */
function expectSentence(message: string | undefined): void {
  expect(message).toMatch(/^spec\/[a-z]+\.yaml, line \d+: .+; .+$/);
  expect(message).not.toMatch(
    /\n|\bat .*:\d+:\d+|node_modules|\.ts\b|TypeError|undefined|\[object|strict mode/,
  );
}

for (const [file, rows] of Object.entries(breaks))
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

test('any misspelt key of the document is found, at its line', () => {
  const lines = texts['openapi.yaml'].split('\n');
  const read = lines.flatMap((line, index) => (isRead(line, index) ? index : []));
  expect(read.length).toBeGreaterThan(100);
  for (const index of read) {
    const broken = lines.with(index, (lines[index] ?? '').replace(/([A-Za-z-]+):/, '$1q:'));
    const message = problemOf({ 'openapi.yaml': broken.join('\n') });
    expectSentence(message);
    expect(message, lines[index]).toMatch(/unknown key|missing|unknown keyword|is no parameter/);
  }

  /** Keys with a meaning: not names of fields, components and examples, nor what stands in examples or prose. */
  function isRead(line: string, index: number): boolean {
    const parents = ['properties:', 'examples:', 'schemas:', 'variables:', 'value:', 'description: |'];
    const key = /^( *)(?:- )?([A-Za-z][A-Za-z-]*):/.exec(line);
    if (!key || /^( *)(- )?(name|in|url|default|license|identifier|title|format):/.test(line)) return false;
    return !parents.some((parent) => isBelow(index, parent)) && index > 20;
  }

  function isBelow(index: number, parent: string): boolean {
    const indent = (line = '') => line.search(/\S/);
    let depth = indent(lines[index]);
    let direct = true;
    for (let at = index - 1; at >= 0; at -= 1) {
      const line = lines[at] ?? '';
      if (line.trim() === '' || indent(line) >= depth) continue;
      depth = indent(line);
      const isDirect = direct && ['properties:', 'schemas:', 'variables:'].includes(parent);
      const isDeep = !['properties:', 'schemas:', 'variables:'].includes(parent);
      if (line.trim() === parent && (isDirect || isDeep)) return true;
      direct = false;
    }
    return false;
  }
});
