import type { Relation } from '../../schemas/contract/contract.ts';
import { findToleratingEntry, type LedgerEntry } from '../../schemas/contract/ledger.ts';
import { getLastStep, pickDefined } from '../../schemas/json.ts';
import { isOk } from '../../schemas/judge/classify.ts';
import { adaptCurlOutput } from '../redact/curl.ts';
import { redactPointer } from '../redact/describe-value.ts';
import { rejectEveryWord } from '../redact/disclosure.ts';
import {
  createEmptyJudgement,
  type DescribedRequest,
  describeLedgerEntry,
  type Finding,
  type Observation,
} from '../redact/observation.ts';
import { countFindings } from '../redact/redact.ts';
import type { ComparableRecord } from './comparable.ts';
import type { ConcludedContradiction } from './confirm.ts';
import { type Contradiction, getComparedFieldIndex } from './contradictions.ts';
import { isBetweenListAndLookup } from './rules.ts';

export type RequestAndStatus = DescribedRequest & Pick<Observation, 'status' | 'kind'>;

type ObservedSource = { observation: RequestAndStatus };

/** Creates an observation from a concluded contradiction, with a finding if it is `broken`; undefined if it is `settled`. */
export function createContradictionObservation(
  concluded: ConcludedContradiction<ObservedSource>,
  entries: LedgerEntry[],
): Observation | undefined {
  const { contradiction, conclusion } = concluded;
  if (conclusion === 'settled') return undefined;
  const { address, check } = contradiction.rule;
  const observation = createUncountedObservation(chooseSubject(contradiction).subject.source);
  if (typeof conclusion === 'object')
    return { ...observation, undecided: { [address]: { [conclusion.undecided]: 1 } } };
  // `Relations` counts the records of a list already when it receives the page.
  const isCountedAlready = 'unique' in check;
  return {
    ...observation,
    exercised: isCountedAlready ? {} : { [address]: { places: 1, requests: 1 } },
    ...countFindings([createRelationFinding(concluded, entries)]),
  };
}

/** Creates an observation of a request that another observation counts. */
const createUncountedObservation = ({ observation }: ObservedSource): Observation => ({
  ...pickDefined(observation, ['operation', 'parameters', 'exchange', 'repeat', 'status', 'kind']),
  // So that no report calls a configured identifier wrong.
  configured: false,
  requests: 0,
  sent: {},
  expectsSuccess: false,
  ...createEmptyJudgement(),
});

/** Chooses the record that a finding is about (`subject`): that of the lookup if a list and a lookup differ, else the later one. */
function chooseSubject({ rule, earlier, later }: Contradiction<ObservedSource>) {
  const lookup = isBetweenListAndLookup(rule) ? rule.secondView : undefined;
  if (earlier.view === lookup) return { subject: earlier, counterpart: later };
  return { subject: later, counterpart: earlier };
}

function createRelationFinding(
  { contradiction, requests }: ConcludedContradiction<ObservedSource>,
  entries: LedgerEntry[],
): Finding {
  const { rule } = contradiction;
  const { subject, counterpart } = chooseSubject(contradiction);
  const description = describeDifference(rule.check, subject.source.observation.status);
  const finding: Finding = {
    kind: 'violation',
    requirement: rule.address,
    operation: rule.operation.id,
    expected: description.expected,
    ...locateDifference(contradiction, subject),
    actual: description.actual,
    against: { ...locateDifference(contradiction, counterpart), actual: description.counterpart },
    sent: requests.map(({ observation }) => observation.exchange),
  };
  // Two responses differ, and no single value is wrong: only an entry that accepts any value tolerates that.
  const entry = findToleratingEntry({ ...finding, value: undefined }, entries);
  return entry ? { ...finding, kind: 'deviation', ...describeLedgerEntry(entry) } : finding;
}

/** Returns the request that showed a record, the pointer to the differing field, and a shell command that prints this field. */
function locateDifference(
  { rule, pairIndex }: Contradiction<ObservedSource>,
  { view, index, source }: ComparableRecord<ObservedSource>,
) {
  const { exchange, repeat } = source.observation;
  const fieldPointer = view.fields[getComparedFieldIndex(rule, pairIndex, view)]?.pointer ?? '';
  // `redactPointer` keeps each name in this pointer, because the contract declares the name.
  const pointer = redactPointer(view.operation, fieldPointer.replace('*', `${index}`), rejectEveryWord);
  return {
    exchange,
    ...pickDefined(source.observation, ['id']),
    pointer,
    repeat: adaptCurlOutput(repeat, pointer),
  };
}

/**
 * Describes how two records break a rule, without their values: what the rule expects, what the subject of the finding shows
 * (`actual`), and what the other record shows (`counterpart`).
 * @param status HTTP status of the response that shows the subject
 */
function describeDifference(
  check: Relation,
  status = 0,
): { expected: string; actual: string; counterpart: string } {
  if ('unique' in check) {
    const [key, name] = [getLastStep(check.unique), check.named];
    return {
      expected: `one ${name} for each ${key}`,
      actual: `another ${name} for the same ${key}`,
      counterpart: `one ${name} for this ${key}`,
    };
  }
  if ('constant' in check)
    return {
      expected: 'the same value whenever it is requested',
      actual: 'a value that changes again and again',
      counterpart: 'the value of the first response',
    };
  const listShows = `that ${check.listedBy} shows`;
  if ('found' in check) {
    const actual = `HTTP ${status}${isOk(status) ? ' with an error code' : ''}`;
    return { expected: `the record ${listShows}`, actual, counterpart: 'the record is listed' };
  }
  if ('same' in check) {
    const name = getLastStep(check.same);
    return { expected: `the ${name} ${listShows}`, actual: `another ${name}`, counterpart: `one ${name}` };
  }
  const expected = `${getLastStep(check.presentAs)} present or absent, as ${check.listedBy} shows`;
  const actual = 'present in only one of the two responses';
  return { expected, actual, counterpart: actual };
}
