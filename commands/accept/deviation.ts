import { distance } from 'fastest-levenshtein';
import type { Conformance } from '../../reports/conformance.ts';
import type { Contract } from '../../schemas/contract/contract.ts';
import { requirementsOf } from '../../schemas/contract/requirements.ts';
import type { Finding } from '../../tests/redaction/observation.ts';
import type { Received, ReceivedSchema } from '../../tests/redaction/received.ts';
import { CommandError } from '../command-error.ts';

/** What an entry has to accept: a schema for the value, or that there is none. */
export type Accepts =
  | { schema: ReceivedSchema | { enum: unknown[] } | { anyOf: ReceivedSchema[] } }
  | { missing: true };

/**
 * The narrowest forms of an entry that cover what a run found at a requirement, one for each entry that it takes.
 * @throws {CommandError} when the run cannot say, or an entry has no form for what it found.
 */
export function acceptedForms(contract: Contract, run: Conformance, address: string): Accepts[] {
  assertKnown(contract, address);
  assertWholeRun(contract, run);
  const result = run.requirements.find((one) => one.address === address);
  if (result?.verdict !== 'violation')
    throw new CommandError(`${address} is not violated in the last run: ${stateOf(result?.verdict)}`);
  const findings = run.findings.filter((one) => one.requirement === address && one.kind === 'violation');
  if (findings.length === 0)
    throw new CommandError(`the last run lists nothing that was found at ${address}`);
  return formsOf(findings.map(receivedIn));
}

const stateOf = (verdict: string | undefined) =>
  verdict === undefined ? 'it was not judged' : `its verdict is ${verdict}, and there is nothing to accept`;

function assertWholeRun(
  contract: Contract,
  { selection, shard, contract: hash, profile }: Conformance,
): void {
  if (shard)
    throw new CommandError('the last run is a shard: merge all of them, and accept what the whole found');
  if (selection)
    throw new CommandError(
      'the last run judged only a part of the requirements: run without --grep, and accept then',
    );
  if (hash !== contract.hash)
    throw new CommandError(
      `the last run judged another contract (${hash}, and this is ${contract.hash}): run again, and accept then`,
    );
  if (profile === 'documented')
    throw new CommandError(
      'the last run was of PROFILE=documented, which tolerates nothing: run with observed',
    );
}

function assertKnown(contract: Contract, address: string): void {
  const known = requirementsOf(contract).map((one) => one.address);
  if (known.includes(address)) return;
  const near = known
    .map((one) => ({ one, far: distance(one, address) }))
    .toSorted((one, other) => one.far - other.far)
    .slice(0, 3);
  throw new CommandError(
    `there is no requirement with this address; near are ${near.map(({ one }) => one).join(', ')}`,
  );
}

/** @throws {CommandError} when a finding has no form. */
function receivedIn({ received, actual, pointer }: Finding): Received {
  if (received) return received;
  throw new CommandError(
    `an entry of spec/ledger.yaml has no form that would accept this and nothing else: ${actual}, at ${pointer || 'the body'}`,
  );
}

/** What is missing and what is there take an entry each; values that may be shown become one list. */
function formsOf(received: Received[]): Accepts[] {
  const unique = [...new Map(received.map((one) => [JSON.stringify(one), one])).values()];
  const schemas = unique.flatMap((one) => ('schema' in one ? one.schema : []));
  const missing = unique.some((one) => 'missing' in one);
  return [
    ...(missing ? [{ missing: true } as const] : []),
    ...(schemas.length > 0 ? [{ schema: joined(schemas) }] : []),
  ];
}

function joined(schemas: ReceivedSchema[]) {
  const [first, ...others] = schemas;
  if (first && others.length === 0) return first;
  const values = schemas.map((schema) => schema.const);
  return values.every((value) => value !== undefined) ? { enum: values } : { anyOf: schemas };
}
