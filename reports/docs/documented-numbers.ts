import { readFileSync } from 'node:fs';
import { variants } from '../../mock/variants/index.ts';
import { loadContract } from '../../schemas/contract/contract.ts';
import { readConfiguration } from '../../tests/configuration/target.ts';
import { requirementsFor } from '../../tests/run/results.ts';
import { maxRuns } from '../site/history.ts';
import { maxProbeRequests } from './configuration-docs.ts';

/** A figure of the last `npm run bench`, with one decimal. @throws when it has none of that name. */
const measured = (name: string) => () => {
  const text = readFileSync(new URL('../../tests/bench/last.json', import.meta.url), 'utf8');
  const { figures }: { figures: { name: string; value: number }[] } = JSON.parse(text);
  const figure = figures.find((one) => one.name === name);
  if (!figure) throw new Error(`tests/bench/last.json has no figure "${name}"`);
  return Math.round(figure.value * 10) / 10;
};

const countOfRequirements = () =>
  requirementsFor(loadContract(), readConfiguration({}, '/nonexistent').target).length;

/** A file that a test keeps: one fault in each line. */
const countOfFaults = () =>
  readFileSync(new URL('../../tests/self/proof/faults.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n').length;

/** Each number that the documentation states: the words around it, and where it comes from. */
export const documentedNumbers: [before: string, after: string, number: () => number][] = [
  ['requirements (', ' of them)', countOfRequirements],
  ['requirement of ', '")', countOfRequirements],
  ['down would cost ', ' of them', countOfRequirements],
  ['Lookup API, ', ' operations', () => loadContract().operations.length],
  ['operations, ', ' requirements', countOfRequirements],
  ['at most ', ' more requests for open questions', maxProbeRequests],
  ['keeps the last ', ' runs of each target', () => maxRuns],
  ['', ' faults, each a breach', countOfFaults],
  ['Judging costs ', ' ms', measured('judging it, everything')],
  ['a page of 1,000 customers takes ', ' ms to judge', measured('judging it, everything')],
  ['takes about ', ' times as long as one of as many empty', measured('whole run ÷ bare Playwright')],
  ['', ' unusual but conforming providers', () => variants.length],
];

/** A page of the documentation with the numbers of today. */
export const numbersWith = (text: string): string =>
  documentedNumbers.reduce(
    (page, [before, after, number]) =>
      page.replace(patternOf(before, after), () => `${before}${number()}${after}`),
    text,
  );

/** The places of a number. */
export const patternOf = (before: string, after: string): RegExp =>
  new RegExp(`${escaped(before)}\\d+(?:\\.\\d+)?${escaped(after)}`, 'g');

const escaped = (text: string) => text.replace(/[()"]/g, '\\$&');
