import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { times } from '../../schemas/counted.ts';
import type { Target } from '../client/target.ts';
import type { Finding, Observation } from '../redact/observation.ts';
import type { Traffic } from '../traffic/traffic-summary.ts';
import { listsOf, returnsEmptyList } from './coverage.ts';
import { nothingRecorded, type RequirementResult, unconfirmedSentences } from './evaluate.ts';
import type { GateResult } from './gates.ts';
import type { Results, Run } from './results.ts';

/** What the responses of a run, or a recording, lacked. */
export const dataNotes = (
  contract: Contract,
  target: Target,
  { run, traffic, behaviour }: Pick<Results, 'run' | 'traffic' | 'behaviour'>,
  observations: Observation[],
): string[] => [
  ...repetitionNotes(run),
  ...undocumentedNotes(observations),
  ...unconfirmedNotes(observations),
  ...notComparedNotes(traffic),
  ...(run ? emptyNotes(contract, target, observations) : []),
  ...(behaviour?.notes ?? []),
];

/** What is left open where a run could not ask again for what contradicts each other. */
export function unconfirmedNotes(observations: Observation[]): string[] {
  const addresses = new Set(observations.flatMap(({ undecided = {} }) => Object.keys(undecided)));
  return [...addresses].flatMap((address) =>
    unconfirmedSentences(observations, address).map((sentence) => `${sentence} (${address})`),
  );
}

/** Where a run had no data: an operation without identifiers, an empty list, a filter that matched nothing. */
export function emptyNotes(
  { operations }: Pick<Contract, 'operations'>,
  target: Target,
  observations: Observation[],
): string[] {
  if (target.traffic) return recordedNotes(operations, observations);
  const asked = new Set(observations.map(({ operation }) => operation));
  const unasked = operations.filter(({ id }) => observations.length > 0 && !asked.has(id));
  return [
    ...unsetVariables(operations, target, observations).map(
      (name) => `${name} is not set: what only it leads to is not exercised`,
    ),
    ...unasked.map(({ id }) => `no request of ${id} was sent`),
    ...operations.flatMap((operation) => notesOn(operation, observations)),
  ];
}

/** Where a recording had no data. */
function recordedNotes(operations: Operation[], observations: Observation[]): string[] {
  const seen = new Set(observations.map(({ operation }) => operation));
  return operations.flatMap((operation) =>
    seen.has(operation.id) ? notesOn(operation, observations) : [nothingRecorded(operation.id)],
  );
}

/** Configured identifiers of a form that the contract does not document, which the target rejects. */
export const undocumentedNotes = (observations: Observation[]): string[] =>
  observations
    .filter(
      ({ configured, expectsSuccess, again, status }) => configured && !expectsSuccess && !again && status,
    )
    .map(
      ({ exchange, status }) =>
        `HTTP ${status} to ${exchange} is not judged: the contract documents another form of the identifier; correct it`,
    );

/** Records of a recording that rules between responses say nothing of. */
export const notComparedNotes = ({ notCompared = 0 }: Partial<Traffic> = {}): string[] =>
  notCompared > 0
    ? [
        `rules between responses say nothing of ${notCompared} records shown: the recording names more than are compared`,
      ]
    : [];

/** Variables of identifiers that are not set, unless responses have named some. */
function unsetVariables(
  operations: Operation[],
  { identifiers }: Target,
  observations: Observation[],
): (string | undefined)[] {
  const isSent = (operation: string, parameter: string) =>
    observations.some((one) => one.operation === operation && Object.hasOwn(one.parameters, parameter));
  return operations.flatMap(({ id, parameters }) =>
    parameters
      .filter(
        ({ name, 'x-identifiers': variable = '' }) =>
          identifiers[variable]?.length === 0 && !isSent(id, name),
      )
      .map((parameter) => parameter['x-identifiers']),
  );
}

function notesOn(operation: Operation, observations: Observation[]): string[] {
  const own = observations.filter((one) => one.operation === operation.id);
  if (own.length === 0) return [];
  const isRejected = own.every(({ response }) => response !== 'success');
  const rejected = `no data: no request of ${operation.id} was answered with HTTP ${operation.status}`;
  const lists = listsOf(operation);
  const empty = own.filter((one) => returnsEmptyList(lists, one));
  return [
    ...(isRejected ? [rejected] : []),
    ...empty.map((one) => `no data: ${one.exchange}${othersLike(one)} returned an empty list`),
  ];
}

const othersLike = (observation: Observation) =>
  observation.requests > 1 ? ` and ${observation.requests - 1} more` : '';

/** A target that needed a second request is not what it should be, though nothing is wrong with its responses. */
const repetitionNotes = (run: Run | undefined): string[] =>
  Object.entries(run?.repeated ?? {}).map(([reason, count]) => `repeated ${times(count)}: ${reason}`);

/** Findings of the selected requirements, and of the run as a whole where a gate asks for them. */
export function findingsOf(
  target: Target,
  observations: Observation[],
  requirements: RequirementResult[],
  gates: GateResult[],
  found: Finding[],
): Finding[] {
  const isSelected = (gate: string) => gates.some(({ address }) => address === gate);
  return [
    ...requirements.flatMap((one) => one.findings),
    ...(target.undeclaredFields === 'report' ? undeclaredOf(observations) : []),
    ...gates.filter((one) => one.address === 'run/coverage' && one.verdict !== 'pass').map(coverageFinding),
    ...found.filter(({ kind }) => kind !== 'stale' || isSelected('run/ledger')),
  ];
}

const coverageFinding = ({ expected, actual, variable }: GateResult): Finding => ({
  kind: 'coverage',
  requirement: '',
  operation: '',
  pointer: '',
  expected: `${expected} (${variable})`,
  actual,
  exchange: '',
});

const undeclaredOf = (observations: Observation[]) =>
  observations.flatMap(({ findings }) => findings).filter(({ kind }) => kind === 'undeclared');
