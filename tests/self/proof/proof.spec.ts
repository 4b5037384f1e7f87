import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { listRequirements } from '../../../schemas/contract/requirements.ts';
import type { Fault } from './faults/fault.ts';
import { allFaults } from './faults/index.ts';
import type { ProofRow } from './proof-reporter.ts';
import { type Proof, proveFault } from './prove.ts';
import { isUndetectableInRecordings } from './unrecorded.ts';

test.describe.configure({ mode: 'parallel' });

test('every requirement has a fault, and every fault a requirement', () => {
  const addresses = listRequirements(loadContract()).map(({ address }) => address);
  const brokenAddresses = new Set(allFaults.map(({ breaks }) => breaks));
  expect(
    [...brokenAddresses].filter((address) => !addresses.includes(address)),
    'faults without a requirement',
  ).toEqual([]);
  expect(
    addresses.filter((address) => !brokenAddresses.has(address)),
    'requirements without a fault',
  ).toEqual([]);
});

test('derived faults of each list use every placement', () => {
  const placedFaults = allFaults.flatMap(({ name, breaks }) => {
    const [, place] = /, in (?:the )?(\w+) one$/.exec(name) ?? [];
    return place ? [{ list: breaks.slice(0, breaks.lastIndexOf('*')), place }] : [];
  });
  for (const { list } of placedFaults) {
    const placementsInList = placedFaults
      .filter((placedFault) => placedFault.list === list)
      .map(({ place }) => place);
    expect([...new Set(placementsInList)].sort(), list).toEqual(['every', 'first', 'last', 'middle', 'only']);
  }
  expect(placedFaults.length).toBeGreaterThan(100);
});

for (const breaks of new Set(allFaults.map((fault) => fault.breaks))) {
  const faults = allFaults.filter((fault) => fault.breaks === breaks);
  test(`each fault of ${breaks} breaks this requirement and no other (${faults.length})`, async () => {
    const results: FaultResult[] = [];
    // Two faults of each requirement are also judged from a recording: the first that a recording can show, and the first that it cannot.
    const recordedFaults = [true, false].map((isUndetectable) =>
      faults.find(({ name }) => isUndetectableInRecordings(name) === isUndetectable),
    );
    for (const fault of faults) {
      const proof = await proveFault(fault, { withRecording: recordedFaults.includes(fault) });
      results.push(createResult(fault.name, proof));
    }
    const expected = faults.map(createExpectedResult);
    for (const [index, result] of results.entries()) {
      const isRight = isDeepStrictEqual(result, expected[index]);
      const row: ProofRow = { name: result.fault, breaks, isRight };
      test.info().annotations.push({ type: 'fault', description: JSON.stringify(row) });
    }
    expect(results).toEqual(expected);
  });
}

interface FaultResult {
  fault: string;
  documented: string[];
  observed: { violated: string[]; deviating: string[] };
  /**
   * `as expected` (also without a recording), or three lists of requirements in the recorded traffic:
   * violated, deviating, and violated with `PROFILE=documented`.
   */
  recorded: 'as expected' | string[][];
  /** Findings not traceable to an altered response by their request ids. */
  untraceable: string[];
}

function createExpectedResult({ name, breaks, deviates = [], observed }: Fault): FaultResult {
  const allAddresses = [breaks, ...deviates];
  const isAccepted = observed === 'deviation';
  return {
    fault: name,
    // With `PROFILE=documented`, the ledger accepts nothing.
    documented: allAddresses.toSorted(),
    observed: isAccepted
      ? { violated: [], deviating: allAddresses }
      : { violated: [breaks], deviating: deviates },
    recorded: 'as expected',
    untraceable: [],
  };
}

type FaultProof = Awaited<ReturnType<typeof proveFault>>;

function createResult(name: string, proof: FaultProof): FaultResult {
  const { untraceable } = proof;
  const { violated, deviating } = proof.observed;
  const documented = proof.documented.violated.toSorted();
  const recorded = compareRecording(name, proof);
  return { fault: name, documented, observed: { violated, deviating }, recorded, untraceable };
}

function compareRecording(
  name: string,
  { observed, documented, recorded }: FaultProof,
): FaultResult['recorded'] {
  if (!recorded) return 'as expected';
  const recordedAddresses = listAddresses(recorded);
  const hidesFault = isUndetectableInRecordings(name) && recorded.documented.violated.length === 0;
  if (hidesFault) {
    // No verdict shows the fault, but the suite must report that it skipped the exchange with the fault.
    const hasSkippedExchange = Object.keys(recorded.skipped).length > 0;
    return hasSkippedExchange ? 'as expected' : recordedAddresses;
  }
  const hasEqualVerdicts = isDeepStrictEqual(recordedAddresses, listAddresses({ observed, documented }));
  return hasEqualVerdicts ? 'as expected' : recordedAddresses;
}

const listAddresses = ({ observed, documented }: Proof) => [
  observed.violated,
  observed.deviating,
  documented.violated,
];
