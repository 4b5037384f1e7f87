import { readFileSync } from 'node:fs';
import { variants } from '../mock/variants/index.ts';
import { loadContract } from '../schemas/contract.ts';
import { readConfiguration } from '../tests/client/target.ts';
import { requirementsFor } from '../tests/run/results.ts';
import { maxProbes } from './configuration-docs.ts';
import { maxRuns } from './site/history.ts';

const countOfRequirements = () =>
  requirementsFor(loadContract(), readConfiguration({}, '/nonexistent').target).length;

/** A file that a test keeps: one fault in each line. */
const countOfFaults = () =>
  readFileSync(new URL('../tests/self/faults.txt', import.meta.url), 'utf8')
    .trim()
    .split('\n').length;

/** Each number that the documentation states: the words around it, and where it comes from. */
export const documentedNumbers: [before: string, after: string, number: () => number][] = [
  ['requirements (', ' of them)', countOfRequirements],
  ['requirement of ', '")', countOfRequirements],
  ['down would cost ', ' of them', countOfRequirements],
  ['operations, ', ' requirements', countOfRequirements],
  ['at most ', ' more requests, each sent once', maxProbes],
  ['keeps the last ', ' runs of each target', () => maxRuns],
  ['', ' faults, each a breach', countOfFaults],
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
  new RegExp(`${escaped(before)}\\d+${escaped(after)}`, 'g');

const escaped = (text: string) => text.replace(/[()"]/g, '\\$&');
