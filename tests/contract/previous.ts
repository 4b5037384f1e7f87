import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Target } from '../client/target.ts';

/**
 * Keeps the report to compare this run with as `previous.json`, before reports are cleared: the one that
 * `PREVIOUS` names, or the last one that judged anything.
 */
export function keepPrevious({ reportsDir, previous }: Target, problems: string[]): void {
  const kept = path.join(reportsDir, 'previous.json');
  const text = reportIn(previous ?? path.join(reportsDir, 'conformance.json'));
  if (previous && !text)
    problems.push('PREVIOUS must name a conformance.json of a run that judged something');
  if (text) {
    mkdirSync(reportsDir, { recursive: true });
    writeFileSync(kept, text);
  } else if (previous || !reportIn(kept)) rmSync(kept, { force: true });
}

/** Text of a report that judged something, or undefined. */
function reportIn(file: string): string | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const text = readFileSync(file, 'utf8');
    const { schemaVersion, requirements } = JSON.parse(text);
    const judged = requirements.some(({ verdict }: { verdict: string }) => /^(pass|d|v)/.test(verdict));
    return schemaVersion === 1 && judged ? text : undefined;
  } catch {
    return undefined;
  }
}
