import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { isRecord } from '../../schemas/json/read.ts';
import { readRegularFile, unreadableReason } from '../configuration/regular-file.ts';
import type { Target } from '../configuration/target.ts';
import { maskOf } from '../redaction/secrets.ts';
import type { ComparedRun } from '../verdict/changes.ts';
import { isJudged, isRunVerdict, isVerdict } from '../verdict/verdicts.ts';
import { requirementsFor } from './results.ts';
import { writeWhole } from './whole-file.ts';

/** File of the last whole run of a target and a profile, relative to `REPORTS_DIR`. */
export const wholeRunFile = (target: Pick<Target, 'name' | 'profile'>): string =>
  `previous/${fileNameOf(target)}.json`;

/** A name for the files of a target and a profile, which no other pair has. */
export function fileNameOf({ name, profile }: Pick<Target, 'name' | 'profile'>): string {
  // A file system takes names of 255 bytes.
  const plain = name.replace(/[^\w.-]+/g, '-').slice(0, 100);
  // Two names must not share a file.
  const mark = plain === name ? '' : `-${createHash('sha256').update(name).digest('hex').slice(0, 8)}`;
  return `${plain}${mark}-${profile}`;
}

/**
 * Keeps the last whole run of each target and profile below `previous/`, and as `previous.json` the one to compare this
 * run with, before reports are cleared: the one that `PREVIOUS` names, or the last whole one of this target and profile.
 */
export function keepPrevious(contract: Contract | Error, target: Target): void {
  const { reportsDir, previous } = target;
  const kept = path.join(reportsDir, 'previous.json');
  const last = readReport(path.join(reportsDir, 'conformance.json'));
  if (last && isWhole(contract, last.run, target)) {
    const { target: name, profile } = last.run;
    writeKept(path.join(reportsDir, wholeRunFile({ name, profile: profileOf(profile) })), last.text);
  }
  const report = previous ? readReport(previous) : readWholeRun(target);
  if (report) writeWhole(kept, report.text);
  else if (previous || !readReport(kept)) rmSync(kept, { recursive: true, force: true });
}

const profileOf = (text: string) => (text === 'documented' ? text : 'observed');

function writeKept(file: string, text: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  writeWhole(file, text);
}

/** The last whole run of this target and profile that is kept in `REPORTS_DIR`. */
function readWholeRun(target: Target): Report | undefined {
  const name = maskOf(target)(target.name);
  const report = readReport(path.join(target.reportsDir, wholeRunFile({ ...target, name })));
  const isOwn = report?.run.target === name && report.run.profile === target.profile;
  return isOwn ? report : undefined;
}

/** What is wrong with `PREVIOUS`: at most one sentence. */
export function previousProblems({ previous }: Target): string[] {
  if (!previous || readReport(previous)) return [];
  const reason = unreadableReason(previous);
  return [
    reason
      ? `PREVIOUS names ${reason}`
      : 'PREVIOUS must name the conformance.json of a run that judged something',
  ];
}

/** The run to compare with: the one that `PREVIOUS` names, or the last of the same target and profile. */
export function readPrevious({ reportsDir, previous, name, profile }: Target): ComparedRun | undefined {
  const earlier = comparedRunOf(reportsDir);
  const comparable = previous || (earlier?.target === name && earlier.profile === profile);
  return comparable ? earlier : undefined;
}

/** The run with which the last one in a folder of reports was to be compared. */
export const comparedRunOf = (reportsDir: string): ComparedRun | undefined =>
  readReport(path.join(reportsDir, 'previous.json'))?.run;

/** A report of an earlier run, with its text. */
interface Report {
  text: string;
  run: ComparedRun;
}

/** A report that judged something, with its text; undefined when it is none. */
function readReport(file: string): Report | undefined {
  try {
    const text = readRegularFile(file).toString('utf8');
    const run: unknown = JSON.parse(text);
    return isComparable(run) && run.requirements.some(({ verdict }) => isJudged(verdict))
      ? { text, run }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a report is of the whole contract, rather than of a part that was selected. Reports of version 1 do not say so. */
const isWhole = (contract: Contract | Error, run: ComparedRun, target: Target) =>
  run.selection === undefined && run.shard === undefined && !isPart(contract, run, target);

/** A contract that cannot be read is reported by the run itself. */
const isPart = (own: Contract | Error, { contract, requirements }: ComparedRun, target: Target) =>
  !(own instanceof Error) &&
  contract === own.hash &&
  requirements.length < requirementsFor(own, target).length;

function isComparable(run: unknown): run is ComparedRun {
  if (!isRecord(run) || (run.schemaVersion !== 1 && run.schemaVersion !== 2)) return false;
  const { target, profile, contract, startedAt, verdict, requirements, sweeps = [] } = run;
  return (
    [target, profile, contract].every((one) => typeof one === 'string') &&
    isTime(startedAt) &&
    isRunVerdict(verdict) &&
    Array.isArray(requirements) &&
    requirements.every(isRequirement) &&
    Array.isArray(sweeps) &&
    sweeps.every(isSweep)
  );
}

const isRequirement = (one: unknown) =>
  isRecord(one) &&
  typeof one.address === 'string' &&
  isVerdict(one.verdict) &&
  (one.since === undefined || isTime(one.since)) &&
  (one.swept === undefined || isRecord(one.swept));

const isSweep = (one: unknown) => isRecord(one) && typeof one.operation === 'string';

/** Whether something is a time as `Date` writes it: in UTC, of a day that exists. */
export const isTime = (time: unknown): time is string =>
  typeof time === 'string' &&
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(time) &&
  !Number.isNaN(Date.parse(time)) &&
  new Date(time).toISOString().startsWith(time.slice(0, 10));
