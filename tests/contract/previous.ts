import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { loadContract } from '../../schemas/contract.ts';
import type { Target } from '../client/target.ts';
import { requirementsFor } from './results.ts';

/**
 * Keeps the report to compare this run with as `previous.json`, before reports are cleared: the one that
 * `PREVIOUS` names, or the last one that judged anything.
 */
export function keepPrevious(target: Target, problems: string[]): void {
  const { reportsDir, previous } = target;
  const kept = path.join(reportsDir, 'previous.json');
  const last = path.join(reportsDir, 'conformance.json');
  const text = previous ? reportIn(previous) : reportIn(last, target);
  if (previous && !text)
    problems.push('PREVIOUS must name a conformance.json of a run that judged something');
  if (text) {
    mkdirSync(reportsDir, { recursive: true });
    writeFileSync(kept, text);
  } else if (previous || !reportIn(kept)) rmSync(kept, { force: true });
}

/** Text of a report that judged something and, given its target, not a part of the contract only; or undefined. */
function reportIn(file: string, target?: Target): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    const { schemaVersion, requirements, contract } = JSON.parse(text);
    const least = target && contract === loadContract().hash ? requirementsFor(target).length : 1;
    if (requirements.length < least) return undefined;
    const judged = requirements.some(({ verdict }: { verdict: string }) => /^(pass|d|v)/.test(verdict));
    return schemaVersion === 1 && judged ? text : undefined;
  } catch {
    return undefined;
  }
}
