import path from 'node:path';
import type { Contract } from '../../schemas/contract/contract.ts';
import { type Conformance, resultOf } from '../conformance.ts';
import { hasObservations } from './check-stored-results.ts';
import { isUnfinished } from './completeness.ts';
import { shardsInOrder } from './same-run.ts';
import { evaluatedResults } from './shard-results.ts';

/**
 * Reports of shards that have each sent all requests: verdicts, counts and findings are those that follow from the
 * observations. The report of a shard that did not come to its end stays as it is.
 * @param folders that of each report
 * @throws {MergeError} when they are not parts of one run, or observations contradict a verdict.
 */
export function derivedReports(contract: Contract, folders: string[], reports: Conformance[]): Conformance[] {
  // That shards are of different runs says more than what is wrong with one of them.
  shardsInOrder(contract, reports);
  return reports.map((report, index) => derived(contract, folders[index] ?? '', report));
}

function derived(contract: Contract, folder: string, report: Conformance): Conformance {
  if (isUnfinished(report)) return report;
  if (!hasObservations(folder)) return { ...report, notes: [...report.notes, underivedNote(folder)] };
  const { conclusion, behaviour, requests, traffic } = evaluatedResults(contract, folder, report);
  const since = new Map(report.requirements.map((one) => [one.address, one.since]));
  const gates = new Map(conclusion.gates.map((gate) => [gate.address, gate]));
  return {
    ...report,
    requirements: conclusion.requirements.map((one) => withSince(resultOf(one), since.get(one.address))),
    gates: (report.gates ?? []).map((gate) => gates.get(gate.address) ?? gate),
    findings: conclusion.findings,
    coverage: conclusion.coverage,
    observed: behaviour?.observed ?? [],
    requestsMade: requests ?? [],
    ...(traffic ? { traffic } : {}),
  };
}

const withSince = (one: Conformance['requirements'][number], since: string | undefined) =>
  since === undefined ? one : { ...one, since };

/** What is noted where only the report of a shard was kept. */
const underivedNote = (folder: string): string =>
  `the folder ${path.basename(folder)} holds no observations to derive its report from: it was merged as it stands; keep the whole REPORTS_DIR of each shard`;
