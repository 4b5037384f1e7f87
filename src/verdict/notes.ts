import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { times } from '../../schemas/counted.ts';
import type { Target } from '../client/target.ts';
import type { Observation } from '../redact/observation.ts';
import { listsOf, returnsEmptyList } from './coverage.ts';
import type { Results } from './results.ts';

/** What the responses of a run, or a recording, lacked. What that leaves unjudged, each requirement says. */
export function dataNotes(
  { operations }: Pick<Contract, 'operations'>,
  target: Target,
  { run, traffic, behaviour, observations }: Pick<Results, 'run' | 'traffic' | 'behaviour' | 'observations'>,
): string[] {
  if (!run) return [];
  const { notCompared = 0 } = traffic ?? {};
  return [
    // A target that needed a second request is not what it should be, though nothing is wrong with its responses.
    ...Object.entries(run.repeated).map(([reason, count]) => `repeated ${times(count)}: ${reason}`),
    ...undocumentedNotes(observations),
    ...(notCompared > 0
      ? [
          `rules between responses say nothing of ${notCompared} records shown: the recording names more than are compared`,
        ]
      : []),
    ...(traffic ? [] : unsetNotes(operations, target, observations)),
    ...operations.flatMap((operation) => emptyNotes(operation, observations)),
    ...(behaviour?.notes ?? []),
  ];
}

/** Configured identifiers of a form that the contract does not document, which the target rejects. */
const undocumentedNotes = (observations: Observation[]): string[] =>
  observations
    .filter(
      ({ configured, expectsSuccess, again, status }) => configured && !expectsSuccess && !again && status,
    )
    .map(
      ({ exchange, status }) =>
        `HTTP ${status} to ${exchange} is not judged: the contract documents another form of the identifier; correct it`,
    );

/** Variables of identifiers that are not set, unless responses have named some. */
function unsetNotes(operations: Operation[], { identifiers }: Target, observations: Observation[]): string[] {
  const isSent = (operation: string, parameter: string) =>
    observations.some((one) => one.operation === operation && Object.hasOwn(one.parameters, parameter));
  return operations.flatMap(({ id, parameters }) =>
    parameters.flatMap(({ name, 'x-identifiers': variable = '' }) =>
      identifiers[variable]?.length === 0 && !isSent(id, name)
        ? [`${variable} is not set: what only it leads to is not exercised`]
        : [],
    ),
  );
}

/** How many requests were answered with a list without an element, though they named no page. */
function emptyNotes(operation: Operation, observations: Observation[]): string[] {
  const lists = listsOf(operation);
  const empty = observations.filter((one) => one.operation === operation.id && returnsEmptyList(lists, one));
  const [first] = empty;
  const others = empty.reduce((sum, { requests }) => sum + requests, -1);
  const more = others > 0 ? ` and ${others} more` : '';
  return first ? [`no data: ${first.exchange}${more} returned an empty list`] : [];
}
