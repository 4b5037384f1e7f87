import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isRecord } from '../schemas/json/read.ts';
import { readRegularFile } from '../tests/configuration/regular-file.ts';
import { ReportError } from './read-conformance.ts';

/** What is used here of a result file of Allure. */
interface Result {
  testCaseId: string;
  start: number;
  stop: number;
  steps: Step[];
}

interface Step {
  name: string;
  attachments: { name: string; source: string }[];
}

/**
 * Tidies what Playwright and Allure have written: results in the order of the contract, not of the workers,
 * evidence beside the sentence rather than inside a step, and without the prompt that Playwright attaches to failures.
 * @throws {ReportError} when one of them cannot be read.
 */
export function tidyResults(folder: string, addresses: string[]): void {
  const rank = new Map(addresses.map((address, index) => [address, index]));
  const results = resultFilesOf(folder).map((name) => ({
    name,
    result: readResult(path.join(folder, name)),
  }));
  const place = ({ result }: (typeof results)[number]) =>
    rank.get(result.testCaseId) ?? Number.MAX_SAFE_INTEGER;
  const starts = results.map(({ result }) => result.start).sort((one, other) => one - other);
  let last = 0;
  for (const [index, { name, result }] of results.sort((one, other) => place(one) - place(other)).entries()) {
    // Allure sorts by time: the times stay, and are dealt out anew.
    last = Math.max(starts[index] ?? 0, last + 1);
    const moved = { ...result, start: last, stop: last + result.stop - result.start };
    writeFileSync(path.join(folder, name), JSON.stringify({ ...moved, ...unpacked(folder, result) }));
  }
}

function resultFilesOf(folder: string): string[] {
  if (!statSync(folder).isDirectory())
    throw new ReportError(`${folder} is no folder: remove it, and judge the target again`);
  return readdirSync(folder).filter((name) => name.endsWith('-result.json'));
}

function readResult(file: string): Result {
  try {
    const result: unknown = JSON.parse(readRegularFile(file).toString('utf8'));
    if (isResult(result)) return result;
  } catch {
    // Reported below, like JSON of something else.
  }
  throw new ReportError(`${file} is no result of Allure: remove it, or judge the target again`);
}

const isResult = (result: unknown): result is Result =>
  isRecord(result) &&
  [result.start, result.stop].every((time) => Number.isFinite(time)) &&
  Array.isArray(result.steps) &&
  result.steps.every(
    (step) => isRecord(step) && Array.isArray(step.attachments) && step.attachments.every(isAttachment),
  );

/** A file in the same folder, and no other one. */
const isAttachment = (one: unknown) =>
  isRecord(one) &&
  typeof one.name === 'string' &&
  typeof one.source === 'string' &&
  path.basename(one.source) === one.source;

/** Steps that only wrap an attachment become attachments of the test. */
function unpacked(folder: string, { steps }: Result) {
  const wrappers = steps.filter(({ attachments }) => attachments.length > 0);
  const attachments = wrappers.flatMap((step) => step.attachments);
  for (const { source } of attachments.filter(isPrompt)) rmSync(path.join(folder, source), { force: true });
  return {
    steps: steps.filter((step) => !wrappers.includes(step)),
    attachments: attachments.filter((attachment) => !isPrompt(attachment)),
  };
}

const isPrompt = ({ name }: { name: string }) => name === 'error-context';
