import { readFileSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';
import type { Fault } from './faults/fault.ts';
import { allFaults } from './faults/index.ts';
import { aboutListed } from './listed-operations.ts';
import type { ProofRow } from './proof-reporter.ts';
import { proveFault } from './prove.ts';

test.describe.configure({ mode: 'parallel' });

/** Faults by which a response becomes one that says nothing in a recording: nobody knows whether the request was right. */
const unrecorded = [
  /^HTTP (301|302|500)$/,
  /^forbids business only$/,
  /^does not know the second record/,
  /^rejects in HTTP 200$/,
  /^the (third|last) page as HTTP 500$/,
  /^rejects \w+ with HTTP (400|404)$/,
  /^rejects every parameter together$/,
  // A lookup that found nothing is not read, listed or not.
  /^listed, and answered with HTTP (404|410|200 and code 40401)/,
];

/** By its name, without the operation. */
const isUnrecorded = (name: string) =>
  unrecorded.some((kind) => kind.test(name.slice(name.indexOf(': ') + 2)));

test('every requirement has a fault, and every fault a requirement', () => {
  const addresses = requirementsOf(loadContract()).map(({ address }) => address);
  const broken = new Set(allFaults.map(({ breaks }) => breaks));
  expect(
    [...broken].filter((address) => !addresses.includes(address)),
    'faults without a requirement',
  ).toEqual([]);
  expect(
    addresses.filter((address) => !broken.has(address)),
    'requirements without a fault',
  ).toEqual([]);
});

test('docs/recorded-traffic.md lists the requirements that no recording breaks', () => {
  const inRecordings = allFaults.filter((fault) => !isUnrecorded(fault.name)).map(({ breaks }) => breaks);
  const unbroken = new Set(allFaults.map((one) => one.breaks).filter((one) => !inRecordings.includes(one)));
  const page = readFileSync(new URL('../../../docs/recorded-traffic.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^- `(\S+)`$/gm)].map(([, address = '']) => address);
  const expected = aboutListed([...unbroken].sort(), 'faults.txt');
  expect(`${listed.join('\n')}\n`).toBe(expected);
});

test('what is derived is wrong first, in the middle, last, alone and everywhere, in each list', () => {
  const placed = allFaults.flatMap(({ name, breaks }) => {
    const [, place] = /, in (?:the )?(\w+) one$/.exec(name) ?? [];
    return place ? [{ list: breaks.slice(0, breaks.lastIndexOf('*')), place }] : [];
  });
  for (const { list } of placed) {
    const own = placed.filter((one) => one.list === list).map(({ place }) => place);
    expect([...new Set(own)].sort(), list).toEqual(['every', 'first', 'last', 'middle', 'only']);
  }
  expect(placed.length).toBeGreaterThan(100);
});

// Most faults are derived from the contract: a line that is lost there would take its faults along, unnoticed.
test('the contract rules out all that it did: a fault that is missing here would survive', () => {
  const lines = allFaults.map(({ name, breaks }) => `${name} → ${breaks}`);
  expect(new Set(allFaults.map(({ name }) => name)).size).toBe(lines.length);
  expect(aboutListed(lines, 'faults.txt')).toMatchSnapshot('faults.txt');
});

test('what no answer can break, parameters and defaults, is as it was', () => {
  const parameters = loadContract().operations.flatMap(({ id, parameters: own }) =>
    own.map(({ name, in: place, required = false, schema: { type, format, pattern, enum: values } }) =>
      JSON.stringify([id, name, place, { required, type, format, pattern, values }]),
    ),
  );
  const defaults = loadContract()
    .operations.flatMap(nodesOf)
    .filter(({ schema }) => schema.default !== undefined)
    .map(({ operation, pointer, schema }) => `${operation}${pointer} is ${schema.default} by default`);
  const lines = [...parameters, ...defaults];
  expect(aboutListed(lines, 'unbreakable.txt')).toMatchSnapshot('unbreakable.txt');
});

for (const breaks of new Set(allFaults.map((fault) => fault.breaks))) {
  const some = allFaults.filter((fault) => fault.breaks === breaks);
  test(`${breaks} is broken by each of its faults, and nothing else is (${some.length})`, async () => {
    const results: FaultResult[] = [];
    // The first fault of each requirement that a recording shows, and the first that it does not, are judged as one as well.
    const isFirst = (fault: Fault) =>
      fault === some.find(({ name }) => isUnrecorded(name) === isUnrecorded(fault.name));
    for (const fault of some) results.push(resultOf(fault.name, await proveFault(fault, isFirst(fault))));
    const expected = some.map(killed);
    for (const [index, result] of results.entries()) {
      const isRight = isDeepStrictEqual(result, expected[index]);
      const row: ProofRow = { name: result.fault, breaks, isRight };
      test.info().annotations.push({ type: 'fault', description: JSON.stringify(row) });
    }
    expect(results).toEqual(expected);
  });
}

/** What is red, or deviates, for a fault: addresses of requirements. */
interface FaultResult {
  fault: string;
  documented: string[];
  observed: { violated: string[]; deviating: string[] };
  recorded: 'the same' | string[][];
  /** Findings whose ids lead to another response in the provider's log. */
  misled: string[];
}

function killed({ name, breaks, deviates = [], observed }: Fault): FaultResult {
  const [violated, deviating] = observed ? [[], [breaks, ...deviates]] : [[breaks], deviates];
  const documented = [breaks, ...deviates].sort();
  return { fault: name, documented, observed: { violated, deviating }, recorded: 'the same', misled: [] };
}

type FaultProof = Awaited<ReturnType<typeof proveFault>>;

function resultOf(name: string, proof: FaultProof): FaultResult {
  const { violated, deviating } = proof.observed;
  const documented = proof.documented.violated.toSorted();
  const recorded = recordedOf(name, proof);
  return { fault: name, documented, observed: { violated, deviating }, recorded, misled: proof.misled };
}

/** Of a recording the same is said, or nothing, where it does not tell whether the response is right. */
function recordedOf(name: string, { observed, documented, recorded }: FaultProof): FaultResult['recorded'] {
  if (!recorded) return 'the same';
  const [shown, all] = [recorded.observed, recorded.documented];
  const said = [shown.violated, shown.deviating, all.violated];
  const hasNoFinding = all.violated.length === 0 && isUnrecorded(name);
  const isSame = hasNoFinding
    ? Object.keys(recorded.skipped).length > 0
    : isDeepStrictEqual(said, [observed.violated, observed.deviating, documented.violated]);
  return isSame ? 'the same' : said;
}
