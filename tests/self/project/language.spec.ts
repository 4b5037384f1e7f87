import { expect, test } from '@playwright/test';
import { listProjectFiles } from '../harness/project-files.ts';
import { type FileLanguage, type LanguageRule, measureLanguage } from './language.ts';

/** Highest shares of broken places in percent. Other well-read TypeScript projects are below them. */
const bounds: Record<'product' | 'tests', Partial<Record<LanguageRule, number>>> = {
  product: { comments: 5, names: 0.5, verbless: 3 },
  tests: { comments: 5, names: 1 },
};

/** Broken places in rooms that are not rewritten yet. Lower a number after each change; remove the row of a finished room. */
const unfinishedRooms: Record<string, Partial<Record<LanguageRule, number>>> = {
  schemas: { verbless: 6 },
  'src/redact': { verbless: 5 },
  'src/run': { verbless: 5 },
  'src/sweep': { comments: 65, names: 60, verbless: 21 },
  'src/verdict': { verbless: 4 },
  'tests/self/sweep': { comments: 10, names: 55 },
};

const files = listProjectFiles().filter((file) => /(?<!\.d)\.m?ts$/.test(file));
const languages = files.map((file) => ({ file, room: findRoom(file), language: measureLanguage(file) }));

/** Returns the folder of a file, of which at most `src/FOLDER` or `tests/self/FOLDER` counts. */
function findRoom(file: string): string {
  return /^(src\/\w+|tests\/self\/\w+|tests\/\w+|\w+)\//.exec(file)?.[1] ?? '.';
}

const isTest = (room: string) => room.startsWith('tests/self');

const listBroken = (measured: { language: FileLanguage }[], rule: LanguageRule) =>
  measured.flatMap(({ language }) => language[rule].broken);

for (const group of ['product', 'tests'] as const)
  for (const [rule, percent] of Object.entries(bounds[group]) as [LanguageRule, number][])
    test(`the ${rule} of the ${group} that break the rules of language are at most ${percent} %`, () => {
      const measured = languages.filter(
        ({ room }) => isTest(room) === (group === 'tests') && unfinishedRooms[room]?.[rule] === undefined,
      );
      const total = measured.reduce((sum, { language }) => sum + language[rule].total, 0);
      const broken = listBroken(measured, rule);
      expect(total).toBeGreaterThan(100);
      expect((broken.length / total) * 100, broken.join('\n')).toBeLessThanOrEqual(percent);
    });

for (const [unfinishedRoom, counts] of Object.entries(unfinishedRooms))
  test(`${unfinishedRoom} breaks the rules of language at no more places than before`, () => {
    const measured = languages.filter(({ room }) => room === unfinishedRoom);
    for (const [rule, count] of Object.entries(counts) as [LanguageRule, number][]) {
      const broken = listBroken(measured, rule);
      expect(broken.length, `${rule}:\n${broken.join('\n')}`).toBeLessThanOrEqual(count);
    }
  });

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
