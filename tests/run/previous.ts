import { readFileSync, rmSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract.ts';
import { isObject } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';
import type { ComparedRun } from '../verdict/changes.ts';
import { requirementsFor } from './results.ts';
import { writeWhole } from './whole-file.ts';

/** More than a report can have by far: another file was named. */
const largest = 64 * 1024 * 1024;

/**
 * Keeps the report to compare this run with as `previous.json`, before reports are cleared: the one that
 * `PREVIOUS` names, or the last one that judged the whole contract.
 */
export function keepPrevious(contract: Contract | Error, target: Target): void {
  const { reportsDir, previous } = target;
  const kept = path.join(reportsDir, 'previous.json');
  const last = previous ? undefined : readReport(path.join(reportsDir, 'conformance.json'));
  const report = previous
    ? readReport(previous)
    : last && isWhole(contract, last.run, target)
      ? last
      : undefined;
  if (report) writeWhole(kept, report.text);
  else if (previous || !readReport(kept)) rmSync(kept, { recursive: true, force: true });
}

/** What is wrong with `PREVIOUS`: at most one sentence. */
export const previousProblems = ({ previous }: Target): string[] =>
  previous && !readReport(previous)
    ? ['PREVIOUS must name the conformance.json of a run that judged something']
    : [];

/** The run to compare with: the one that `PREVIOUS` names, or the last of the same target and profile. */
export function readPrevious({ reportsDir, previous, name, profile }: Target): ComparedRun | undefined {
  const earlier = readReport(path.join(reportsDir, 'previous.json'))?.run;
  const comparable = previous || (earlier?.target === name && earlier.profile === profile);
  return comparable ? earlier : undefined;
}

/** A report that judged something, with its text; undefined when it is none. */
function readReport(file: string): { text: string; run: ComparedRun } | undefined {
  try {
    if (statSync(file).size > largest) return undefined;
    const text = readFileSync(file, 'utf8');
    const run: unknown = JSON.parse(text);
    return isComparable(run) && run.requirements.some(isJudged) ? { text, run } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a report is of the whole contract, rather than of a part that `--grep` selected. */
const isWhole = (own: Contract | Error, { requirements, contract }: ComparedRun, target: Target) =>
  own instanceof Error || contract !== own.hash || requirements.length >= requirementsFor(own, target).length;

const isJudged = ({ verdict }: { verdict: string }) => /^(pass|deviation|violation)$/.test(verdict);

function isComparable(run: unknown): run is ComparedRun {
  if (!isObject(run) || run.schemaVersion !== 1) return false;
  const { target, profile, contract, startedAt, verdict, requirements } = run;
  return (
    [target, profile, contract].every((one) => typeof one === 'string') &&
    isTime(startedAt) &&
    isOneOf(['pass', 'fail', 'error'], verdict) &&
    Array.isArray(requirements) &&
    requirements.every(isRequirement)
  );
}

const verdicts = ['pass', 'violation', 'deviation', 'not exercised', 'blocked', 'error'];

const isRequirement = (one: unknown) =>
  isObject(one) &&
  typeof one.address === 'string' &&
  isOneOf(verdicts, one.verdict) &&
  (one.since === undefined || isTime(one.since));

const isOneOf = (words: string[], word: unknown) => typeof word === 'string' && words.includes(word);

/** As `Date` writes it. */
const isTime = (time: unknown) =>
  typeof time === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time) && !Number.isNaN(Date.parse(time));
