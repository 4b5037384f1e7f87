import type { Operation } from '../../schemas/contract.ts';
import type { Violation } from '../../schemas/judgement.ts';
import type { Entry } from '../../schemas/ledger.ts';
import { http } from '../../schemas/requirements.ts';
import { schemaAt } from '../../schemas/violations.ts';
import type { UnfoldedFinding } from './folded-findings.ts';
import type { LedgerPlace } from './observation.ts';
import { receivedOf } from './received.ts';
import { describeMediaType, describeValue } from './redaction.ts';

/** What is said of a violation, and of the entry that tolerates it. */
export function describeViolation(
  operation: Operation,
  found: Violation,
  entry: Entry | undefined,
): UnfoldedFinding {
  const violation = withSchema(operation, found);
  const { requirement, pointer, place, places, expected } = violation;
  const actual = violation.actual ?? describeActual(operation, violation);
  const tolerated = entry ? { because: entry.because, ledger: placeOf(entry) } : {};
  const received = entry ? undefined : () => receivedOf(operation, violation);
  return {
    kind: violationKind(entry),
    requirement,
    pointer,
    place,
    places,
    expected,
    actual,
    received,
    ...tolerated,
  };
}

/** What a violation is that an entry of the ledger tolerates, or none. */
export const violationKind = (entry: Entry | undefined) => (entry ? 'deviation' : 'violation');

const placeOf = ({ line, until, link }: Entry): LedgerPlace => ({
  line,
  ...(until ? { until } : {}),
  ...(link ? { link } : {}),
});

function describeActual(operation: Operation, { requirement, value, schema }: Violation): string {
  return requirement === http(operation.id).contentType
    ? describeMediaType(value)
    : describeValue(value, schema);
}

/** With the schema of its place, should only that be known. */
function withSchema(operation: Operation, violation: Violation): Violation {
  const { schema, pointer } = violation;
  const own = schema ?? (pointer.startsWith('/') ? schemaAt(operation, pointer) : undefined);
  return own ? { ...violation, schema: own } : violation;
}
