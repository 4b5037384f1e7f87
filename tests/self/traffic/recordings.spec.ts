import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import type { FindRoute } from '../../traffic/recorded-entry.ts';
import { paths } from './provider.ts';
import { isExchange, readAll, summaryOf, textOf } from './reading.ts';

const recording = (name: string) => fileURLToPath(new URL(`recordings/${name}`, import.meta.url));

/** The four operations, as whoever reads tells them. */
const findRoute: FindRoute = ({ pathname }) =>
  /\/openapi\//.test(pathname) ? { lookup: /\/(cards|customers)\/[^/]+$/.test(pathname) } : undefined;

const read = async (name: string) => {
  const entries = await readAll(recording(name), { findRoute });
  // Chromium asks for an icon when and as often as it likes.
  return entries.filter((entry) => entry.kind !== 'skipped' || entry.reason !== 'other path');
};

/** The results for the requests of a recording, in the order of `paths`: the redirect leads to the first card. */
const outcomes = (bodyIs: string, cut: string[]) => [
  ...Array.from({ length: 5 }, () => `200 ${bodyIs}`),
  'skipped: record not found (404)',
  'skipped: redirect',
  `200 ${bodyIs}`,
  'skipped: too many requests (429)',
  'skipped: server error (5xx)',
  ...cut,
];

const recorders: [recorder: string, file: (provider: string) => string, summaries: string[]][] = [
  [
    'Playwright, embed',
    (provider) => `playwright-embed-${provider}.har`,
    outcomes('text', ['skipped: aborted']),
  ],
  [
    'Playwright, omit',
    (provider) => `playwright-omit-${provider}.har`,
    outcomes('missing', ['skipped: aborted']),
  ],
  [
    'Playwright, zip',
    (provider) => `playwright-attach-${provider}.zip`,
    outcomes('text', ['skipped: aborted']),
  ],
  [
    'Playwright, attach',
    (provider) => `playwright-attach-${provider}/session.har`,
    outcomes('text', ['skipped: aborted']),
  ],
  // What was cut off does not get into its recording.
  ['mitmproxy', (provider) => `mitmproxy-${provider}.har`, outcomes('text', [])],
];

const reference = 'playwright-embed-';

for (const [recorder, fileOf, summaries] of recorders) {
  for (const provider of ['conforming', 'faulty']) {
    test(`a recording of a ${provider} provider by ${recorder}`, async () => {
      const entries = await read(fileOf(provider));
      expect(entries.map(summaryOf)).toEqual(summaries);
      const exchanges = entries.filter(isExchange);
      const asked = exchanges.map(({ url }) => new URL(url)).map(({ pathname, search }) => pathname + search);
      expect(asked).toEqual([...paths.slice(0, 5), paths[0]]);
      expect(exchanges.every(({ startedAt, headers }) => startedAt && headers['content-type'])).toBe(true);
      const expected = (await read(`${reference}${provider}.har`)).filter(isExchange).map(textOf);
      const bodies = exchanges.map(textOf);
      expect(bodies).toEqual(recorder.endsWith('omit') ? bodies.map(() => undefined) : expected);
    });
  }
}

test('a recording keeps what only the text shows', async () => {
  const [card, , , rules] = (await read('mitmproxy-faulty.har')).filter(isExchange);
  expect(card && textOf(card)).toContain('"expiration_date":"2031-04"');
  expect(rules && textOf(rules)).toMatch(/^\{"code":200,"code":200,/);
});

test('a pattern stands for files in the order of their names, and progress is reported', async () => {
  const progress = new Map<string, number>();
  const entries = await readAll(recording('*-conforming.{har,zip}'), {
    onProgress: (source, bytes, total) => progress.set(source.replace(/.*\//, ''), bytes / (total ?? 0)),
  });
  const names = ['mitmproxy-', 'playwright-embed-', 'playwright-omit-'].map(
    (name) => `${name}conforming.har`,
  );
  expect([...progress]).toEqual(
    [...names.toSpliced(1, 0, 'playwright-attach-conforming.zip')].map((name) => [name, 1]),
  );
  expect(entries.some(({ kind }) => kind === 'broken')).toBe(false);
  expect(await readAll(recording('nothing-*.har'))).toMatchObject([
    { kind: 'broken', reason: 'no such file' },
  ]);
});
