import { stringify } from 'yaml';
import type { Contract } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/contract-error.ts';
import { type Entry, readLedger } from '../../schemas/contract/ledger.ts';
import { addressOf, nodesOf } from '../../schemas/contract/nodes.ts';
import { readYaml } from '../../schemas/contract/yaml.ts';
import { isRecord } from '../../schemas/json/read.ts';
import { acceptsValue } from './schema-steps.ts';

/** An entry of the ledger that a contract has no use for, and why. */
export interface Misfit {
  line: number;
  requirement: string;
  says: string;
}

/**
 * Entries that do not fit a contract: each is read by itself, so that one with a mistake does not hide the others.
 * @param text of `ledger.yaml`
 */
export function ledgerMisfits(text: string, contract: Contract): Misfit[] {
  const { value, lines } = readYaml('ledger.yaml', text);
  const entries: unknown[] = Array.isArray(value) ? value : [];
  return entries.flatMap((entry, index) => {
    const says = problemOf(entry, contract);
    const requirement =
      isRecord(entry) && typeof entry.requirement === 'string' ? entry.requirement : 'an entry';
    return says ? [{ line: lines[index] ?? 1, requirement, says }] : [];
  });
}

function problemOf(entry: unknown, contract: Contract): string | undefined {
  try {
    const [read] = readLedger(stringify([entry]), contract);
    return read && uselessIn(read, contract);
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    return error.message.replace(/^spec\/\S+ line \d+: /, '');
  }
}

/** Whether all that an entry names as accepted is allowed by the contract itself. */
function uselessIn({ accepts, requirement }: Entry, { operations }: Contract): string | undefined {
  const node = operations
    .flatMap(nodesOf)
    .find((one) => addressOf(one.operation, one.pointer) === requirement);
  if (!node) return undefined;
  if ('missing' in accepts)
    return node.required ? undefined : 'the field may be missing now: remove the entry';
  const values = 'schema' in accepts ? valuesIn(accepts.schema) : [];
  const isAllowed = values.length > 0 && values.every((value) => acceptsValue(node.schema, value));
  return isAllowed ? 'the contract itself allows now what the entry accepts: remove it' : undefined;
}

const valuesIn = ({ const: value, enum: list = [] }: { const?: unknown; enum?: unknown[] }): unknown[] =>
  value === undefined ? list : [value];
