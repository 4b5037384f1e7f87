import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { listRequirements } from '../../../schemas/contract/requirements.ts';
import type { Fault } from './faults/fault.ts';
import { allFaults } from './faults/index.ts';
import type { ProofRow } from './proof-reporter.ts';
import { type Proof, proveFault } from './prove.ts';
import { isUnrecorded } from './unrecorded.ts';

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
    // Of each requirement, the first fault that a recording can show, and the first that it cannot, are judged from a recording too.
    const isFirst = (fault: Fault) =>
      fault === faults.find(({ name }) => isUnrecorded(name) === isUnrecorded(fault.name));
    for (const fault of faults)
      results.push(createResult(fault.name, await proveFault(fault, { withRecording: isFirst(fault) })));
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
  /** If unexpected, addresses from the recording: violated and deviating with `PROFILE=observed`, and violated with `documented`. */
  recorded: 'as expected' | string[][];
  /** Findings, as `GET … <id>`, whose request id does not lead to a faulty answer in the log of the provider. */
  untraceable: string[];
}

function createExpectedResult({ name, breaks, deviates = [], observed }: Fault): FaultResult {
  const isTolerated = observed === 'deviation';
  return {
    fault: name,
    documented: [breaks, ...deviates].sort(),
    observed: {
      violated: isTolerated ? [] : [breaks],
      deviating: isTolerated ? [breaks, ...deviates] : deviates,
    },
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

/** Expects the results of the run from its recording or, if no recording can show the fault, only that the recording skips an exchange. */
function compareRecording(
  name: string,
  { observed, documented, recorded }: FaultProof,
): FaultResult['recorded'] {
  if (!recorded) return 'as expected';
  const listAddresses = (proof: Proof) => [
    proof.observed.violated,
    proof.observed.deviating,
    proof.documented.violated,
  ];
  const recordedAddresses = listAddresses(recorded);
  const expectsSkip = isUnrecorded(name) && recorded.documented.violated.length === 0;
  const isAsExpected = expectsSkip
    ? Object.keys(recorded.skipped).length > 0
    : isDeepStrictEqual(recordedAddresses, listAddresses({ observed, documented }));
  return isAsExpected ? 'as expected' : recordedAddresses;
}
