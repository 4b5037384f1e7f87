import { closeSync, openSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { linesOf } from '../../sweep/journal/lines-of-file.ts';

/** The lines of a file of some text. */
function linesIn(text: string, options = {}) {
  const file = test.info().outputPath('lines');
  writeFileSync(file, text);
  const opened = openSync(file, 'r');
  try {
    return [...linesOf(opened, options)];
  } finally {
    closeSync(opened);
  }
}

test('lines are read whole wherever the pieces end in which a file is read', () => {
  const lines = [
    '',
    'é'.repeat(700_001),
    'short',
    '',
    'x'.repeat((1 << 20) - 2),
    'é'.repeat(1_600_000),
    'end',
  ];
  const text = `${lines.join('\n')}\n`;
  const found = linesIn(text);
  expect(found.map((one) => one.text)).toEqual(lines);
  const ends = lines.map((_, index) => Buffer.byteLength(`${lines.slice(0, index + 1).join('\n')}\n`));
  expect(found.map(({ end }) => end)).toEqual(ends);
  expect(linesIn(`${text}rest`).length).toBe(lines.length);
  expect(linesIn(`${text}rest`, { keepsRest: true }).at(-1)).toEqual({
    text: 'rest',
    end: Buffer.byteLength(`${text}rest`),
  });
});

test('a line takes time that is linear in its length, up to a bound', () => {
  const text = `${'x'.repeat(64 << 20)}\n`;
  const before = process.cpuUsage();
  expect(linesIn(text)[0]?.text.length).toBe(64 << 20);
  const { user, system } = process.cpuUsage(before);
  // Reading the beginning of the line anew with each piece took eight.
  expect((user + system) / 1e6).toBeLessThan(2);
  expect(() => linesIn(text, { longest: 1000 })).toThrow('a line has more than 1000 bytes');
});
