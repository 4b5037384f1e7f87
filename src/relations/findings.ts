import type { Relation } from '../../schemas/contract/contract.ts';
import { findToleration, formatEntryPlace, type LedgerEntry } from '../../schemas/contract/ledger.ts';
import { getLastStep, pickDefined } from '../../schemas/json.ts';
import { isOk } from '../../schemas/judge/classify.ts';
import { atPlace } from '../redact/curl.ts';
import { redactPointer } from '../redact/describe-value.ts';
import { showsNothing } from '../redact/disclosure.ts';
import {
  type Finding,
  ledgerPlace,
  nothingJudged,
  type Observation,
  type Request,
} from '../redact/observation.ts';
import type { Confirmed } from './confirm.ts';
import { type Contradiction, findComparedField } from './contradictions.ts';
import type { ComparableRecord } from './shown.ts';

/** Request as reports show it, with status and class of its response. */
export type Answered = Request & Pick<Observation, 'status' | 'kind'>;

/** Reference to a response by its observation, which holds what reports may show of the request. */
interface ObservedSource {
  observation: Answered;
}

/**
 * Describes a contradiction between responses as an `Observation` that counts 0 requests: with a finding if it is confirmed, with
 * the reason if it is undecided. Undefined if it is settled. `configured` is false, so that no report blames an identifier of the
 * configuration for what two responses show.
 */
export function describeContradiction(
  confirmed: Confirmed<ObservedSource>,
  entries: LedgerEntry[],
): Observation | undefined {
  const { contradiction, conclusion } = confirmed;
  if (conclusion === 'settled') return undefined;
  const { address, check } = contradiction.rule;
  const [{ source }] = orderRecords(contradiction);
  const observation = {
    ...pickDefined(source.observation, ['operation', 'parameters', 'exchange', 'repeat', 'status', 'kind']),
    configured: false,
    requests: 0,
    sent: {},
    expectsSuccess: false,
    ...nothingJudged(),
  };
  if (conclusion !== 'broken')
    return { ...observation, undecided: { [address]: { [conclusion.undecided]: 1 } } };
  const finding = createRelationFinding(confirmed, entries);
  const exercised = { [address]: { places: 1, requests: 1 } };
  return {
    ...observation,
    // `Relations` counts the records of a list already when it receives the page.
    exercised: 'unique' in check ? {} : exercised,
    findings: [finding],
    affected: { [address]: { [finding.kind]: 1 } },
    tolerated: finding.ledger ? [formatEntryPlace(finding.ledger)] : [],
  };
}

/**
 * Returns the record that a finding is about, and then its counterpart. In a rule between a list and a lookup, the finding is about
 * the record of the lookup. Otherwise it is about the record that was received later.
 */
function orderRecords({ rule, first, second }: Contradiction<ObservedSource>) {
  const isListLater = rule.first !== rule.second && second.view === rule.first;
  return isListLater ? ([first, second] as const) : ([second, first] as const);
}

/** Creates the finding of a rule that two responses break: a `violation`, or a `deviation` if a ledger entry tolerates it. */
function createRelationFinding(
  { contradiction, sent: requests }: Confirmed<ObservedSource>,
  entries: LedgerEntry[],
): Finding {
  const { rule } = contradiction;
  const [record, counterpart] = orderRecords(contradiction);
  const [expected, actual, counterpartActual] = describeSides(rule.check, record.source.observation);
  const finding: Finding = {
    kind: 'violation',
    requirement: rule.address,
    operation: rule.operation.id,
    expected,
    ...describePlace(contradiction, record),
    actual,
    against: { ...describePlace(contradiction, counterpart), actual: counterpartActual },
    sent: requests.map(({ observation }) => observation.exchange),
  };
  const entry = findToleration({ ...finding, value: undefined }, entries);
  if (!entry) return finding;
  return { ...finding, kind: 'deviation', because: entry.because, ledger: pickDefined(entry, ledgerPlace) };
}

/**
 * Returns the request that showed one record of a contradiction, the pointer to the field that differs, and a shell command that
 * shows it.
 */
function describePlace(
  { rule, pair }: Contradiction<ObservedSource>,
  { view, index, source }: ComparableRecord<ObservedSource>,
) {
  const { exchange, repeat } = source.observation;
  const fieldPointer = view.fields[findComparedField(rule, pair, view)]?.pointer ?? '';
  // `showsNothing`: the contract declares each name in the pointer, so that no other name needs to be shown.
  const pointer = redactPointer(view.operation, fieldPointer.replace('*', `${index}`), showsNothing);
  return { exchange, ...pickDefined(source.observation, ['id']), pointer, repeat: atPlace(repeat, pointer) };
}

/**
 * Describes a contradiction between a record and its counterpart (`orderRecords`), without any value of a record.
 * @param status HTTP status of the response that shows the record
 * @returns what was expected, what the record shows, and what its counterpart shows
 */
function describeSides(check: Relation, { status = 0 }: Answered): [string, string, string] {
  if ('unique' in check) {
    const [key, name] = [getLastStep(check.unique), check.named];
    return [
      `one ${name} for each ${key}`,
      `another ${name} for the same ${key}`,
      `one ${name} for this ${key}`,
    ];
  }
  if ('constant' in check) {
    const expected = 'the same value whenever it is requested';
    return [expected, 'a value that changes again and again', 'the value of the first response'];
  }
  const listShows = `that ${check.listedBy} shows`;
  if ('found' in check) {
    const actual = `HTTP ${status}${isOk(status) ? ' with an error code' : ''}`;
    return [`the record ${listShows}`, actual, 'the record is listed'];
  }
  if ('same' in check) {
    const name = getLastStep(check.same);
    return [`the ${name} ${listShows}`, `another ${name}`, `one ${name}`];
  }
  const actual = 'present in only one of the two responses';
  const name = getLastStep(check.presentAs);
  return [`${name} present or absent, as ${check.listedBy} shows`, actual, actual];
}
