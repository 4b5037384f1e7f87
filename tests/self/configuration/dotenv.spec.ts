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
const control = /^\.env, line 3: a control character/;
const bad: [text: string, says: RegExp][] = [
  [`BASE_URL: http://${secret}`, noEntry],
  [`${secret} BASE_URL=x`, noEntry],
  [`=${secret}`, noEntry],
  [`BASE_URL\u202e=${secret}`, noEntry],
  [`"BASE_URL"="${secret}"`, noEntry],
  [`CARD_IDS="${secret}" c`, open],
  [`CARD_IDS="${secret}`, open],
  [`CARD_IDS="${secret}\nMAX_RPS="2"`, open],
  [`CARD_IDS=${secret}\u001b[2J`, control],
  [`CARD_IDS="${secret}\u0085"`, control],
  [`CARD_IDS=${secret}\rMAX_RPS=2`, control],
];

for (const [text, says] of bad)
  test(`${JSON.stringify(text)} in .env is a mistake with its line, and not repeated`, () => {
    const { problems } = read(`# note\nTARGET_NAME=a\n${text}\nMAX_RPS=2\n`);
    expect(problems).toEqual([expect.stringMatching(says)]);
    expect(problems.join()).not.toMatch(/s3cr3t|BASE_URL|[\p{Cc}\p{Cf}]/u);
  });

test('.env in another encoding, or of anything else, gets few sentences', () => {
  for (const bytes of [Buffer.from('\ufeffA=1', 'utf16le'), Buffer.from('A=1', 'utf16le')])
    expect(read(bytes)).toEqual({
      entries: [],
      problems: ['.env is not in UTF-8, but perhaps in UTF-16; correct or remove it'],
    });
  expect(read('no entry\n'.repeat(100_000)).problems).toHaveLength(20);
});

test('what is not UTF-8 does no harm in a comment, and is a mistake in a value', () => {
  const { entries, problems } = read(Buffer.from('# prix \xe9lev\xe9\nA=1\nB=\xe9\nC=2\n', 'latin1'));
  expect(entries.map(({ name }) => name)).toEqual(['A', 'C']);
  expect(problems).toEqual([expect.stringMatching(/^\.env, line 3: a character that is not UTF-8/)]);
});
