import path from 'node:path';
import { wholeRunFile } from '../tests/run/previous.ts';
import type { Conformance } from './conformance.ts';
import { readConformance } from './read-conformance.ts';
import type { WholeRunKept } from './write.ts';

/**
 * The last whole run of the same target and profile that is kept in `reportsDir`, whose badge and page a run of a part of the
 * contract does not replace; undefined beside a whole run, and where none is kept.
 */
export function wholeRunBeside(
  { selection, target, profile }: Conformance,
  reportsDir: string,
): WholeRunKept | undefined {
  if (!selection) return undefined;
  const file = wholeRunFile({ name: target, profile });
  try {
    const conformance = readConformance(path.join(reportsDir, file));
    const isOwn = conformance.target === target && conformance.profile === profile;
    return isOwn ? { conformance, file } : undefined;
  } catch {
    return undefined;
  }
}
