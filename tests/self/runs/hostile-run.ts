import { expect } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { runInProcess } from '../harness/in-process-run.ts';
import { addressesOf, targetOf, type WholeRun } from '../harness/whole-run.ts';
import { startHostile, type Treatments } from './hostile.ts';

const operations = loadContract().operations.map(({ id }) => id);

/** Runs against a provider; `SCHEME` may be https, which it does not support. */
export async function runAgainstHostile(
  treatment: Treatments,
  { SCHEME = 'http', ...env }: Record<string, string> = {},
): Promise<WholeRun> {
  const provider = await startHostile(treatment);
  try {
    return await runInProcess({ ...targetOf(provider.url.replace('http', SCHEME)), ...env });
  } finally {
    await provider.close();
  }
}

/** However a run ends: red, with every report of the suite, and with no stack trace. */
export function expectReported({ code, output, files }: WholeRun): void {
  expect(code).toBe(1);
  expect(output).not.toMatch(/^\s+at .*:\d+/m);
  expect(output).not.toContain('    at ');
  const names = files().map(({ name }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['conformance.json', 'conformance.md', 'conformance.sarif', 'contract.html']),
  );
}

/** Nothing is said of the contract's bodies; why not is said in one line of the summary. */
export function expectBlocked(run: WholeRun, reasons: Readonly<Record<string, RegExp>>): void {
  expectReported(run);
  expect(run.conformance?.verdict).toBe('error');
  expect(addressesOf(run, 'violation')).toEqual([]);
  for (const [operation, expected] of Object.entries(reasons)) {
    const reason = reasonFor(run, `${operation}/http/json`);
    expect(reason).toMatch(expected);
    const { size } = new Set(Object.values(reasons).map(String));
    // One cause of all is told in the verdict.
    const told = new RegExp(size === 1 ? `^  ERROR: .*: ${escaped(reason)}$` : `- ${escaped(reason)}: `);
    expect(run.output.split('\n').filter((line) => told.test(line))).toHaveLength(1);
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Why a requirement is blocked. */
function reasonFor({ conformance }: WholeRun, address: string): string {
  const blocked = conformance?.requirements.filter(({ verdict }) => verdict === 'blocked') ?? [];
  return (
    blocked.find((requirement) => requirement.address === address)?.reason ?? `${address} is not blocked`
  );
}

/** One reason for all. */
export const same = (reason: RegExp) => Object.fromEntries(operations.map((id) => [id, reason]));
