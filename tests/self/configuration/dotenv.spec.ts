import { writeFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { expect, test } from '@playwright/test';
import fc from 'fast-check';
import { readDotenv } from '../../../src/run/dotenv.ts';
import { bytesWith, runs, seed } from '../soak.ts';

const read = (content: string | Buffer) => {
  const file = test.info().outputPath('.env');
  writeFileSync(file, content);
  return readDotenv(file);
};
const valuesIn = (text: string) =>
  Object.fromEntries(read(text).entries.map(({ name, value }) => [name, value]));

test('.env is read as Node reads it, whatever its line breaks', () => {
  const text =
    '\n# note\nA=1\n export B = x y # note\nC="a\nb\\nc" # note\n\nD=\'"x\n\'\nE=\nF=`a"\'b`\nG=x="y"\n\tH= #\n I =" z "';
  for (const one of [text, text.replaceAll('\n', '\r\n')]) {
    expect(read(one).problems).toEqual([]);
    const named = {
      A: '1',
      B: 'x y',
      C: 'a\nb\nc',
      D: '"x\n',
      E: '',
      F: `a"'b`,
      G: 'x="y"',
      H: '',
      I: ' z ',
    };
    expect(valuesIn(one)).toEqual(named);
  }
  expect(valuesIn('\ufeffMAX_RPS=2\n')).toEqual({ MAX_RPS: '2' });
  expect(read(text).entries.map(({ line }) => line)).toEqual([3, 4, 5, 8, 10, 11, 12, 13, 14]);
});

const secret = 's3cr3t';
const noEntry = /^\.env, line 3: neither NAME=value nor a comment/;
const open = /^\.env, line 3: the quote around the value is not closed at its end: close it there$/;
const bad: [text: string, says: RegExp][] = [
  [`BASE_URL: http://${secret}`, noEntry],
  [`${secret} BASE_URL=x`, noEntry],
  [`=${secret}`, noEntry],
  [`BASE_URL\u202e=${secret}`, noEntry],
  [`"BASE_URL"="${secret}"`, noEntry],
  [`CARD_IDS="${secret}" c`, open],
  [`CARD_IDS="${secret}\nMAX_RPS="2"`, open],
];

for (const [text, says] of bad)
  test(`${JSON.stringify(text)} in .env is a mistake with its line, and not repeated`, () => {
    const { problems } = read(`# note\nTARGET_NAME=a\n${text}\nMAX_RPS=2\n`);
    expect(problems).toEqual([expect.stringMatching(says)]);
    expect(problems.join()).not.toMatch(/s3cr3t|BASE_URL|[\p{Cc}\p{Cf}]/u);
  });

test('.env in another encoding, or of anything else, gets few sentences', () => {
  expect(read(Buffer.from('\ufeffA=1', 'utf16le'))).toEqual({
    entries: [],
    problems: [expect.stringMatching(/^\.env, line 1: neither/)],
  });
  expect(read('no entry\n'.repeat(100_000)).problems).toHaveLength(20);
});

// Node takes some comments for entries, blanks and `export` into some names, and a tab beside `=` into name or value.
test('whatever bytes .env holds, what is read has the values that Node reads, or it is said what is wrong', () => {
  const told =
    /^\.env, line \d+: (neither NAME=value nor a comment|the quote around the value is not closed)/;
  const holds = (content: Buffer) => {
    const { entries, problems } = read(content);
    const text = `${new TextDecoder().decode(content).replaceAll('\r\n', '\n')}\n`;
    const asNode = Object.entries(parseEnv(text)).map(([name, value]) => [/[\w.-]*$/.exec(name)?.[0], value]);
    const values = Object.fromEntries(entries.map(({ name, value }) => [name, value]));
    return problems.length > 0
      ? problems.every((one) => told.test(one))
      : /\t *=|= *\t/.test(text) ||
          Object.entries(values).every(([name, value]) =>
            asNode.some(([own, read]) => own === name && read === value),
          );
  };
  const known = ['A=1\n', '\nexport B = x', 'C="a\nb"', ...'=\'"`# \r\n\0', '\n', '\n', '\ufeff', '€'];
  fc.assert(fc.property(bytesWith(known), holds), { seed, numRuns: runs(300) });
});
