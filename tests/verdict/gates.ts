import type { Target } from '../configuration/target.ts';
import { hasSweep } from '../sweep/divide.ts';
import {
  checkCoverage,
  checkEntries,
  checkReached,
  checkRecord,
  checkSweep,
  type GateCheck,
  type GateFacts,
  type GateOutcome,
  noFinding,
  unlessPrevented,
} from './gate-checks.ts';
import { entryPlace } from './ledger-use.ts';

/** Something that is demanded of a run beside the contract. It is a test, and no requirement. */
export interface Gate {
  /** Such as `run/coverage`; tag of the test. */
  address: string;
  /** Title of the test. */
  statement: string;
  /** The environment variable that sets it. */
  variable?: string;
  /** Where to read on: a file, and a heading of it. */
  section: string;
}

/** A gate with what a run says of it. */
export type GateResult = Gate & GateOutcome;

interface CheckedGate extends Gate {
  isSet(target: Target, ownEntries: number): boolean;
  check: GateCheck;
}

const gates: CheckedGate[] = [
  {
    address: 'run/target',
    statement: 'the target is reached, and answers like the API',
    section: 'docs/configuration.md',
    isSet: () => true,
    check: checkReached,
  },
  {
    address: 'run/coverage',
    statement: 'enough schema nodes are exercised',
    variable: 'MIN_COVERAGE',
    section: 'docs/configuration.md',
    isSet: ({ minCoverage }) => minCoverage > 0,
    check: checkCoverage,
  },
  {
    address: 'run/sweep',
    statement: 'the sweep judged every record that it was to judge',
    variable: 'SWEEP',
    section: 'docs/sweep.md',
    isSet: hasSweep,
    check: checkSweep,
  },
  {
    address: 'run/ledger',
    statement: 'each entry of the ledger for this target still tolerates a deviation',
    section: 'docs/testers.md, "Tolerate a deviation"',
    isSet: (_, ownEntries) => ownEntries > 0,
    check: checkEntries(
      noFinding(
        'stale',
        'a deviation for each entry',
        ({ requirement, ledger = { line: 0 } }) =>
          `none for ${requirement} (${entryPlace(ledger)}): remove the entry`,
      ),
    ),
  },
  {
    address: 'run/server-errors',
    statement: 'bad input causes no server error',
    variable: 'FAIL_ON_SERVER_ERROR',
    section: 'docs/testers.md, "What the contract does not say"',
    isSet: ({ failOnServerError }) => failOnServerError,
    check: unlessPrevented(
      ({ behaviour }) => (behaviour.probed === 0 ? 'no request with bad input was answered' : undefined),
      noFinding(
        'server error',
        'no server error on bad input',
        ({ exchange, actual }) => `${exchange}: ${actual}`,
      ),
    ),
  },
  {
    address: 'run/drift',
    statement: 'behaviour is as it was recorded',
    variable: 'FAIL_ON_DRIFT',
    section: 'docs/testers.md, "What the contract does not say"',
    // What is recorded instead is compared with nothing.
    isSet: ({ failOnDrift, record }) => failOnDrift && !record,
    check: unlessPrevented(
      ({ behaviour }) =>
        behaviour.comparable === 0 ? 'no recorded answer that this run can be compared with' : undefined,
      noFinding(
        'drift',
        'behaviour as it was recorded',
        ({ exchange, expected, actual }) => `${exchange}: was "${expected}", is "${actual}"`,
      ),
    ),
  },
  {
    address: 'run/record',
    statement: 'the observed behaviour is recorded',
    variable: 'RECORD',
    section: 'docs/testers.md, "What the contract does not say"',
    isSet: ({ record }) => record,
    check: checkRecord,
  },
];

/** The gates that are configured for a target. @param ownEntries how many entries of the ledger are for it alone */
export const gatesFor = (target: Target, ownEntries: number): Gate[] => configured(target, ownEntries);

/** What a run says of the gates that were selected. */
export function evaluateGates(
  target: Target,
  ownEntries: number,
  addresses: ReadonlySet<string>,
  facts: GateFacts,
): GateResult[] {
  return configured(target, ownEntries)
    .filter(({ address }) => addresses.has(address))
    .map(({ isSet: _, check, ...gate }) => ({ ...gate, ...check(facts, target) }));
}

const configured = (target: Target, ownEntries: number) =>
  gates.filter(({ isSet }) => isSet(target, ownEntries));

/** A gate that did not pass, in one sentence: what was expected, what was found, where to read on. */
export function gateSentence({ address, variable, section, expected, actual }: GateResult): string {
  const name = variable ? `${address} (${variable})` : address;
  const stop = /[.?!]$/.test(actual) ? '' : '.';
  return `the gate ${name} expected ${expected}; got ${actual}${stop} See ${section}.`;
}
