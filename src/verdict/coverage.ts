import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import {
  formatAddress,
  formatValueState,
  listCoverageStates,
  listNodes,
  type Node,
} from '../../schemas/contract/nodes.ts';
import { formatParameterAddress } from '../../schemas/contract/requirements.ts';
import type { Counts } from '../../schemas/judge/judged.ts';
import type { Observation } from '../redact/observation.ts';
import { addCounts } from './totals.ts';

export interface Coverage {
  nodes: CoverageShare;
  /** Documented values of fields and of parameters, and for each optional field the states present and absent. */
  states: CoverageShare;
  /**
   * Numbers of schema nodes: `judged` ones, and those `seen` in at least one response. `neverPresent` lists the rest: optional
   * fields that every response lacked.
   */
  fields?: { judged: number; seen: number; neverPresent: string[] };
  /** Number of times that each state occurred, keyed by state: `getCard/data/card/status = Active`, `… absent`. */
  seen: Counts;
}

/** Number of the nodes, or states, of the contract that responses have shown. */
interface CoverageShare {
  exercised: number;
  total: number;
  /** Rounded down to one decimal, so that 100 means all. */
  percentage: number;
  missing: string[];
}

export function computeCoverage(
  { operations }: Pick<Contract, 'operations'>,
  observations: Observation[],
): Coverage {
  const nodes = operations.flatMap(listNodes);
  const exercisedAddresses = new Set(observations.flatMap(({ exercised }) => Object.keys(exercised)));
  const countsOfFieldStates = observations.map(({ covered }) => covered);
  const countsOfParameterStates = observations.map((observation) =>
    countAcceptedValues(operations, observation),
  );
  const stateCounts = [...countsOfFieldStates, ...countsOfParameterStates].reduce(addCounts, {});
  const fieldStates = nodes.flatMap(listStateNames);
  const parameterStates = operations.flatMap(listDocumentedValues).map(({ coverageState }) => coverageState);
  return {
    nodes: measureShare(nodes.map(formatNodeAddress), exercisedAddresses),
    states: measureShare([...fieldStates, ...parameterStates], new Set(Object.keys(stateCounts))),
    fields: computeFieldPresence(nodes, exercisedAddresses, stateCounts),
    seen: stateCounts,
  };
}

const formatNodeAddress = ({ operation, pointer }: Node) => formatAddress(operation, pointer);

function computeFieldPresence(nodes: Node[], exercisedAddresses: Set<string>, stateCounts: Counts) {
  const judgedNodes = nodes.filter((node) => exercisedAddresses.has(formatNodeAddress(node)));
  const neverPresent = judgedNodes.filter((node) => {
    const { presence } = listCoverageStates(node);
    return presence && stateCounts[presence.absent] && !stateCounts[presence.present];
  });
  return {
    judged: judgedNodes.length,
    seen: judgedNodes.length - neverPresent.length,
    neverPresent: neverPresent.map(formatNodeAddress),
  };
}

/**
 * Counts which documented values of parameters a successful request has sent, keyed by state such as
 * `listCustomers/parameters/linked_source_type = Store`. Empty if the contract does not promise a success.
 */
function countAcceptedValues(operations: Operation[], observation: Observation): Counts {
  const { operation, expectsSuccess, kind, sent: requestCounts } = observation;
  const documentedOperation = operations.find(({ id }) => id === operation);
  if (!documentedOperation || !expectsSuccess || kind !== 'success') return {};
  const acceptedCounts: Counts = {};
  for (const { queryParameter, coverageState } of listDocumentedValues(documentedOperation)) {
    const count = requestCounts[queryParameter];
    if (count) acceptedCounts[coverageState] = count;
  }
  return acceptedCounts;
}

/** Lists the `enum` values of all parameters, as in a query (`type=user`), and as the key of a coverage state. */
const listDocumentedValues = ({ id, parameters }: Operation) =>
  parameters.flatMap(({ name, schema }) =>
    (schema.enum ?? []).map((value) => ({
      queryParameter: `${name}=${value}`,
      coverageState: formatValueState(formatParameterAddress(id, name), value),
    })),
  );

function measureShare(addresses: string[], seenAddresses: Set<string>): CoverageShare {
  const missing = addresses.filter((address) => !seenAddresses.has(address));
  const total = addresses.length;
  const exercised = total - missing.length;
  // Rounded down, so that 100 means all.
  const percentage = Math.floor((1000 * exercised) / Math.max(1, total)) / 10;
  return { exercised, total, percentage, missing };
}

function listStateNames(node: Node): string[] {
  const { values, presence } = listCoverageStates(node);
  return [...values.values(), ...Object.values(presence ?? {})];
}
