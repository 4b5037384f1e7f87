import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { LifecycleListener } from 'allure-js-commons/sdk/reporter';

/**
 * Names each result by its requirement, not by its sentence, so that history survives another wording. The
 * name of the machine is nobody's business.
 */
export const namedByTag: LifecycleListener = {
  beforeTestResultStop: (result) => {
    const tag = result.labels.find(({ name }) => name === 'tag')?.value;
    if (tag) result.testCaseId = tag;
    result.labels = result.labels.filter(({ name }) => name !== 'host');
  },
};

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
 */
export function tidyResults(folder: string, addresses: string[]): void {
  const rank = new Map(addresses.map((address, index) => [address, index]));
  const files = readdirSync(folder).filter((name) => name.endsWith('-result.json'));
  const read = (name: string): Result => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
  const results = files.map((name) => ({ name, result: read(name) }));
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
