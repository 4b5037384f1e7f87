import { expect, test } from '@playwright/test';
import { listProjectFiles } from '../harness/project-files.ts';
import { type LanguageRule, measureLanguage } from './language.ts';

/** Maximum percentages of comments and names that may break a language rule. */
const bounds: Record<'product' | 'tests', Partial<Record<LanguageRule, number>>> = {
  product: { comments: 5, names: 0.5, verbless: 3 },
  tests: { comments: 5, names: 1 },
};

const files = listProjectFiles().filter((file) => /(?<!\.d)\.m?ts$/.test(file));
const isTest = (file: string) => file.startsWith('tests/self/');
const languages = files.map((file) => ({ file, language: measureLanguage(file) }));

for (const group of ['product', 'tests'] as const)
  for (const [rule, percent] of Object.entries(bounds[group]) as [LanguageRule, number][])
    test(`the ${rule} of the ${group} that break the rules of language are at most ${percent} %`, () => {
      const measured = languages.filter(({ file }) => isTest(file) === (group === 'tests'));
      const total = measured.reduce((sum, { language }) => sum + language[rule].total, 0);
      const broken = measured.flatMap(({ language }) => language[rule].broken);
      expect(total).toBeGreaterThan(100);
      expect((broken.length / total) * 100, broken.join('\n')).toBeLessThanOrEqual(percent);
    });

// Breaks each rule: the comment `What …`, the names `one`, `said` and `other`, and the function `linesOf`.
const sample = `
/** What a reader cannot understand. */
export function linesOf(one: string, { asked: { said }, rest: [other] }: Parts): void {}
/** Reads lines. */
const readLines = (line: string) => line;
`;

test('a doc comment without a subject, bare words as names, and a function without a verb are found', () => {
  expect(measureLanguage('sample.ts', sample)).toEqual({
    comments: { total: 2, broken: ['sample.ts:2 What a reader cannot understand.'] },
    names: { total: 6, broken: ['sample.ts:3 one', 'sample.ts:3 said', 'sample.ts:3 other'] },
    verbless: { total: 2, broken: ['sample.ts:3 linesOf'] },
  });
});
