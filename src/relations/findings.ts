import type { Relation } from '../../schemas/contract/contract.ts';
import { getLastStep, pickDefined } from '../../schemas/json.ts';
import { isOk } from '../../schemas/judge/classify.ts';
import { adaptCurlOutput } from '../redact/curl.ts';
import { redactPointer } from '../redact/describe-value.ts';
import { rejectEveryWord } from '../redact/disclosure.ts';
import {
  createEmptyJudgement,
  type DescribedRequest,
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

/**
 * Creates the observation of a contradiction. A broken rule becomes a finding.
 * An undecided contradiction becomes a count in `undecided`.
 * @returns undefined if the contradiction is settled
 */
export function createContradictionObservation(
  concluded: ConcludedContradiction<ObservedSource>,
): Observation | undefined {
  const { contradiction, conclusion } = concluded;
  if (conclusion === 'settled') return undefined;
  const { address, check } = contradiction.rule;
  const { subject } = chooseSubject(contradiction);
  const observation = createUncountedObservation(subject.source);
  if (typeof conclusion === 'object')
    return { ...observation, undecided: { [address]: { [conclusion.undecided]: 1 } } };
  // For a `unique` rule, `Relations` has counted the record already, when it received the list.
  const isCountedAlready = 'unique' in check;
  const ruleCounts = { [address]: { places: 1, requests: 1 } };
  return {
    ...observation,
    exercised: isCountedAlready ? {} : ruleCounts,
    ...countFindings([createRelationFinding(concluded)]),
  };
}

const createUncountedObservation = ({ observation }: ObservedSource): Observation => ({
  ...pickDefined(observation, ['operation', 'parameters', 'requestText', 'curlCommand', 'status', 'kind']),
  // So that no report calls a configured identifier wrong.
  configured: false,
  requests: 0,
  parameterValueCounts: {},
  expectsSuccess: false,
  ...createEmptyJudgement(),
});

function chooseSubject({ rule, earlier, later }: Contradiction<ObservedSource>): {
  subject: ComparableRecord<ObservedSource>;
  counterpart: ComparableRecord<ObservedSource>;
} {
  // A finding about a list and a lookup is about the lookup, because the contract declares the rule for the lookup.
  const isEarlierFromLookup = isBetweenListAndLookup(rule) && earlier.view === rule.secondView;
  if (isEarlierFromLookup) return { subject: earlier, counterpart: later };
  return { subject: later, counterpart: earlier };
}

// Always a violation: two responses differ, so there is no single value that an entry of the ledger could tolerate.
function createRelationFinding({ contradiction, requests }: ConcludedContradiction<ObservedSource>): Finding {
  const { rule } = contradiction;
  const { subject, counterpart } = chooseSubject(contradiction);
  const description = describeDifference(rule.check, subject.source.observation.status);
  return {
    kind: 'violation',
    requirement: rule.address,
    operation: rule.operation.id,
    expected: description.expected,
    ...locateDifference(contradiction, subject),
    actual: description.actual,
    against: { ...locateDifference(contradiction, counterpart), actual: description.counterpart },
    sent: requests.map(({ observation }) => observation.requestText),
  };
}

function locateDifference(
  { rule, pairIndex }: Contradiction<ObservedSource>,
  { view, index, source }: ComparableRecord<ObservedSource>,
) {
  const { requestText, curlCommand } = source.observation;
  const fieldIndex = getComparedFieldIndex(rule, pairIndex, view);
  const fieldPointer = view.fields[fieldIndex]?.pointer ?? '';
  const pointerInResponse = fieldPointer.replace('*', `${index}`);
  // The contract declares all names in this pointer, so that `redactPointer` asks the filter about none of them.
  const pointer = redactPointer(view.operation, pointerInResponse, rejectEveryWord);
  return {
    exchange: requestText,
    ...pickDefined(source.observation, ['id']),
    pointer,
    repeat: adaptCurlOutput(curlCommand, pointer),
  };
}

/**
 * Describes how two records differ, such as `another reference_number for the same uuid`. Shows no values of fields.
 * @param status HTTP status of the lookup, which only the rule `found` needs
 * @returns `expected` and `actual` describe the record that the finding is about, and `counterpart` describes the other record
 */
function describeDifference(
  check: Relation,
  status = 0,
): { expected: string; actual: string; counterpart: string } {
  if ('unique' in check) {
    const key = getLastStep(check.unique);
    const name = check.named;
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
  const listClause = `that ${check.listedBy} shows`;
  if ('found' in check) {
    const actual = isOk(status) ? `HTTP ${status} with an error code` : `HTTP ${status}`;
    return { expected: `the record ${listClause}`, actual, counterpart: 'the record is listed' };
  }
  if ('same' in check) {
    const name = getLastStep(check.same);
    return { expected: `the ${name} ${listClause}`, actual: `another ${name}`, counterpart: `one ${name}` };
  }
  const expected = `${getLastStep(check.presentAs)} present or absent, as ${check.listedBy} shows`;
  const actual = 'present in only one of the two responses';
  return { expected, actual, counterpart: actual };
}
