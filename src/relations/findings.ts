import type { Relation } from '../../schemas/contract/contract.ts';
import { type Entry, entryPlace, toleration } from '../../schemas/contract/ledger.ts';
import { lastStep, pick } from '../../schemas/json.ts';
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
import { type Contradiction, numberOfField } from './contradictions.ts';
import type { SeenRecord } from './shown.ts';

/** What is said of a response beside another one: its request, as it may be shown, and its kind. */
export type Answered = Request & Pick<Observation, 'status' | 'kind'>;

/** Where a response comes from. */
interface Observed {
  observation: Answered;
}

/**
 * What is known of a contradiction, as an observation of no request; undefined where it is settled. Nothing is said of what was
 * configured.
 */
export function observationOf(confirmed: Confirmed<Observed>, entries: Entry[]): Observation | undefined {
  const { contradiction, conclusion } = confirmed;
  if (conclusion === 'settled') return undefined;
  const { address, check } = contradiction.rule;
  const { observation: answered } = aboutAndAgainst(contradiction)[0].source;
  const observation = {
    ...pick(answered, ['operation', 'parameters', 'exchange', 'repeat', 'status', 'kind']),
    ...{ configured: false, requests: 0, sent: {}, expectsSuccess: false, ...nothingJudged() },
  };
  if (conclusion !== 'broken')
    return { ...observation, undecided: { [address]: { [conclusion.undecided]: 1 } } };
  const finding = findingOf(confirmed, entries);
  const exercised = { [address]: { places: 1, requests: 1 } };
  return {
    ...observation,
    // Of a list, each record was counted when it was shown.
    exercised: 'unique' in check ? {} : exercised,
    findings: [finding],
    affected: { [address]: { [finding.kind]: 1 } },
    tolerated: finding.ledger ? [entryPlace(finding.ledger)] : [],
  };
}

/** A rule between a list and a lookup is about the lookup; of one side, about what was shown last. */
function aboutAndAgainst({ rule, first, second }: Contradiction<Observed>) {
  const isTurned = rule.first !== rule.second && second.side === rule.first;
  return isTurned ? ([first, second] as const) : ([second, first] as const);
}

function findingOf({ contradiction, sent }: Confirmed<Observed>, entries: Entry[]): Finding {
  const { rule } = contradiction;
  const [about, against] = aboutAndAgainst(contradiction);
  const [expected, actual, other] = sentencesOf(rule.check, about.source.observation);
  const finding: Finding = {
    kind: 'violation',
    requirement: rule.address,
    operation: rule.operation.id,
    expected,
    ...placeOf(contradiction, about),
    actual,
    against: { ...placeOf(contradiction, against), actual: other },
    sent: sent.map(({ observation }) => observation.exchange),
  };
  const entry = toleration({ ...finding, value: undefined }, entries);
  if (!entry) return finding;
  return { ...finding, kind: 'deviation', because: entry.because, ledger: pick(entry, ledgerPlace) };
}

/** Where a response shows what differs from the other one; of a record that only one of them has, where a list names it. */
function placeOf({ rule, pair }: Contradiction<Observed>, { side, index, source }: SeenRecord<Observed>) {
  const { exchange, repeat } = source.observation;
  const own = side.fields[numberOfField(rule, pair, side)]?.pointer ?? '';
  const pointer = redactPointer(side.operation, own.replace('*', `${index}`), showsNothing);
  return { exchange, ...pick(source.observation, ['id']), pointer, repeat: atPlace(repeat, pointer) };
}

/** What is said of a contradiction: what was expected, and what either response shows. Nothing of a value. */
function sentencesOf(check: Relation, { status = 0 }: Answered): [string, string, string] {
  if ('unique' in check) {
    const [key, name] = [lastStep(check.unique), check.named];
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
  const listed = `that ${check.listedBy} shows`;
  if ('found' in check) {
    const actual = `HTTP ${status}${isOk(status) ? ' with an error code' : ''}`;
    return [`the record ${listed}`, actual, 'the record is listed'];
  }
  if ('same' in check) {
    const name = lastStep(check.same);
    return [`the ${name} ${listed}`, `another ${name}`, `one ${name}`];
  }
  const actual = 'present in only one of the two responses';
  const name = lastStep(check.presentAs);
  return [`${name} present or absent, as ${check.listedBy} shows`, actual, actual];
}
