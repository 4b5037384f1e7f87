import { loadContract } from '../../schemas/contract.ts';
import { type Entry, entriesFor, expiredFor, loadLedger } from '../../schemas/ledger.ts';
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
export function runFindings(
  target: Target,
  coverage: Coverage,
  judged: Judged,
  ledger: Entry[] = loadLedger(),
): Finding[] {
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
  const seen = new Set(standing.filter(({ exercised }) => exercised > 0).map(({ address }) => address));
  const used = new Set(observations.flatMap(({ tolerated }) => tolerated));
  const today = new Date().toISOString().slice(0, 10);
  const own = entriesFor(ledger, target.name, today).filter((entry) => entry.target);
  return own
    .filter(({ line, requirement }) => !used.has(line) && seen.has(requirement))
    .map(({ requirement, line, because }) => ({
      kind: 'stale',
      requirement,
      operation: requirement.split('/')[0] ?? '',
      pointer: '',
      expected: `the deviation of spec/ledger.yaml, line ${line}`,
      actual: 'nothing that deviates: remove the entry',
      exchange: '',
      because,
    }));
}

/** Which entries of the ledger have had their day. */
export function expiredNotes({ name, profile }: Target, today: string, ledger = loadLedger()): string[] {
  if (profile === 'documented') return [];
  return expiredFor(ledger, name, today).map(
    ({ line, requirement, until }) =>
      `expired: spec/ledger.yaml, line ${line}, tolerated ${requirement} until ${until}: mend the target, or set another day`,
  );
}

/** Where a run was hollow: an operation without identifiers, an empty list, a filter that matched nothing. */
export function emptyNotes(target: Target, observations: Observation[]): string[] {
  const asked = new Set(observations.map(({ operation }) => operation));
  const silent = loadContract().operations.filter(({ id }) => observations.length > 0 && !asked.has(id));
  return [
    ...unsetVariables(target, observations).map(
      (name) => `${name} is not set: what needs it is not exercised`,
    ),
    ...silent.map(({ id }) => `nothing was asked of ${id}`),
    ...refusedOperations(observations),
    ...observations.filter(isEmpty).map(({ exchange }) => `hollow: ${exchange} returned an empty list`),
  ];
}

/** Variables of identifiers that are not set, unless responses have named some. */
function unsetVariables({ identifiers }: Target, observations: Observation[]): (string | undefined)[] {
  const isSent = (operation: string, parameter: string) =>
    observations.some((one) => one.operation === operation && Object.hasOwn(one.parameters, parameter));
  return loadContract().operations.flatMap(({ id, parameters }) =>
    parameters
      .filter(
        ({ name, 'x-identifiers': variable = '' }) =>
          identifiers[variable]?.length === 0 && !isSent(id, name),
      )
      .map((parameter) => parameter['x-identifiers']),
  );
}

function refusedOperations(observations: Observation[]): string[] {
  const operations = [...new Set(observations.map(({ operation }) => operation))];
  return operations
    .filter((id) =>
      observations.filter(({ operation }) => operation === id).every(({ status }) => status !== 200),
    )
    .map((id) => `hollow: no request of ${id} was answered with HTTP 200`);
}

/** An answer whose list has no element, where no page was asked for. */
function isEmpty({ visits, parameters, operation }: Observation): boolean {
  if ('offset' in parameters) return false;
  const lists = Object.keys(visits).filter(
    (address) => /^\w+\/data\/\w+s$/.test(address) && address.startsWith(operation),
  );
  return lists.some((address) => !visits[`${address}/*`]);
}
