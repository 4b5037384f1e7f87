import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { readDotenv } from '../../../src/run/dotenv.ts';

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
