import type { Contract, Operation } from '../../schemas/contract.ts';
import { type Entry, entriesFor, expiredFor } from '../../schemas/ledger.ts';
import { addressOf, nodesOf } from '../../schemas/nodes.ts';
import type { Finding, Observation } from '../client/observation.ts';
import type { Target } from '../client/target.ts';
import type { Results } from '../run/results.ts';
import type { Coverage } from './coverage.ts';

type Judged = Pick<Results, 'observations' | 'standing'>;

/** What else than the contract a run is to fail for. */
export function gatesOf({ failOnServerError, failOnDrift }: Target): Finding['kind'][] {
  return [
    ...(failOnServerError ? (['server error'] as const) : []),
    ...(failOnDrift ? (['drift'] as const) : []),
  ];
}

/** What is wrong with a run as a whole: coverage below the gate, ledger entries that matched nothing. */
export function runFindings(target: Target, coverage: Coverage, judged: Judged, ledger: Entry[]): Finding[] {
  return [...coverageFindings(target, coverage), ...staleFindings(target, judged, ledger)];
}

function coverageFindings({ minCoverage }: Target, { nodes }: Coverage): Finding[] {
  if (nodes.percentage >= minCoverage) return [];
  const shown = nodes.missing.slice(0, 5).join(', ');
  return [
    {
      kind: 'coverage',
      requirement: '',
      operation: '',
      pointer: '',
      expected: `at least ${minCoverage} % of schema nodes exercised (MIN_COVERAGE)`,
      actual: `${nodes.percentage} %; never seen: ${shown}${nodes.missing.length > 5 ? ', …' : ''}`,
      exchange: '',
    },
  ];
}

/** Nothing is called stale in a run that could not ask everything, nor what was not exercised. */
function staleFindings(target: Target, { observations, standing }: Judged, ledger: Entry[]): Finding[] {
  const blocked =
    observations.some((one) => one.blocked) || standing.some(({ verdict }) => verdict === 'blocked');
  if (target.profile === 'documented' || blocked) return [];
  const exercised = standing.filter((one) => one.exercised > 0);
  const operations = new Map(exercised.map(({ address, operation }) => [address, operation]));
  const used = new Set(observations.flatMap(({ tolerated }) => tolerated));
  const today = new Date().toISOString().slice(0, 10);
  const own = entriesFor(ledger, target.name, today).filter((entry) => entry.target);
  return own
    .filter(({ line, requirement }) => !used.has(line) && operations.has(requirement))
    .map(({ requirement, line, because }) => ({
      kind: 'stale',
      requirement,
      operation: operations.get(requirement) ?? '',
      pointer: '',
      expected: `the deviation of spec/ledger.yaml, line ${line}`,
      actual: 'nothing that deviates: remove the entry',
      exchange: '',
      because,
    }));
}

/** Which entries of the ledger have had their day. */
export function expiredNotes({ name, profile }: Target, today: string, ledger: Entry[]): string[] {
  if (profile === 'documented') return [];
  return expiredFor(ledger, name, today).map(
    ({ line, requirement, until }) =>
      `expired: spec/ledger.yaml, line ${line}, tolerated ${requirement} until ${until}: mend the target, or set another day`,
  );
}

/** Where a run was hollow: an operation without identifiers, an empty list, a filter that matched nothing. */
export function emptyNotes(
  { operations }: Pick<Contract, 'operations'>,
  target: Target,
  observations: Observation[],
): string[] {
  const asked = new Set(observations.map(({ operation }) => operation));
  const silent = operations.filter(({ id }) => observations.length > 0 && !asked.has(id));
  const unset: [string, string[]][] = [
    ['CARD_IDS', target.cardIds],
    ['USER_IDS', target.userIds],
  ];
  return [
    ...unset
      .filter(([, ids]) => ids.length === 0)
      .map(([name]) => `${name} is not set: what needs it is not exercised`),
    ...silent.map(({ id }) => `nothing was asked of ${id}`),
    ...operations.flatMap((operation) => notesOn(operation, observations)),
  ];
}

function notesOn(operation: Operation, observations: Observation[]): string[] {
  const own = observations.filter((one) => one.operation === operation.id);
  if (own.length === 0) return [];
  const isRejected = own.every(({ response }) => response !== 'success');
  const rejected = `no data: no request of ${operation.id} was answered with HTTP ${operation.status}`;
  const lists = listsOf(operation);
  const empty = own.filter((one) => isEmpty(lists, one));
  return [
    ...(isRejected ? [rejected] : []),
    ...empty.map(({ exchange }) => `no data: ${exchange} returned an empty list`),
  ];
}

/** Addresses of the lists that a payload consists of, each with that of its elements. */
function listsOf(operation: Operation): [list: string, element: string][] {
  const { id, envelope } = operation;
  return nodesOf(operation)
    .filter(({ schema, pointer, name }) => schema.items && pointer === `${envelope.payload}/${name}`)
    .map(({ pointer }) => [addressOf(id, pointer), addressOf(id, `${pointer}/*`)]);
}

/** An answer whose list has no element, where no page was asked for. */
const isEmpty = (lists: [list: string, element: string][], { visits, parameters }: Observation) =>
  !Object.hasOwn(parameters, 'offset') &&
  lists.some(([list, element]) => (visits[list] ?? 0) > 0 && !visits[element]);
