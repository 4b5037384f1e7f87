import { type Entry, toleration } from '../../schemas/ledger.ts';
import { ruleAddress } from '../../schemas/requirements.ts';
import { atPlace } from '../client/curl.ts';
import { type Finding, type Observation, withoutJudgement } from '../client/observation.ts';
import { placeOf } from '../client/observe.ts';
import { redactPointer } from '../client/redaction.ts';
import type { RelationResult } from './doubt.ts';
import { sentencesOf } from './sentences.ts';

type Result = RelationResult<{ observation: Observation }>;

/** Observations with what the rules between them add, by the observation as it was. */
export function applyRelations(results: Result[], entries: Entry[]): Map<Observation, Observation> {
  const changed = new Map<Observation, Observation>();
  for (const result of results) {
    const { observation } = result.second;
    changed.set(observation, withResult(changed.get(observation) ?? observation, result, results, entries));
  }
  return changed;
}

function withResult(observation: Observation, result: Result, all: Result[], entries: Entry[]): Observation {
  const { rule, conclusion, count } = result;
  const address = ruleAddress(rule.operation.id, rule.rule);
  const isErrorResponse = 'found' in rule.check && isDoubt(result);
  if (isErrorResponse && !isLeftOpen(result, all)) return observation;
  if (isErrorResponse && isFailure(result) && !isGone(result, all)) return observation;
  const judged = isErrorResponse ? withoutJudgement(observation) : observation;
  if (typeof conclusion === 'object')
    return { ...judged, undecided: { ...judged.undecided, [address]: conclusion.undecided } };
  const visits = { ...judged.visits, [address]: (judged.visits[address] ?? 0) + count };
  const kept = { ...judged, visits };
  return conclusion === 'broken' ? withFinding(kept, address, result, entries) : kept;
}

const isDoubt = ({ conclusion, contradiction }: Result) =>
  contradiction !== undefined || typeof conclusion === 'object';

/** HTTP 5xx, 3xx and other successes break a rule, unless the record has gone. */
const isFailure = ({ second: { observation } }: Result) =>
  ['server error', 'overload', 'other'].includes(observation.response ?? '');
function isGone({ rule, conclusion, contradiction }: Result, all: Result[]): boolean {
  if (contradiction) return typeof conclusion === 'object';
  // Where requests ran out: as all others were found to have gone.
  const asked = all.filter((one) => one.rule === rule && one.contradiction);
  return asked.length > 0 && asked.every((one) => typeof one.conclusion === 'object');
}

/**
 * Whether an error response to the lookup of a listed record says nothing of any other rule: where the target finds other
 * records, or where this one may have gone. A configured record that is still listed has to be found in any case.
 */
function isLeftOpen({ rule, second, conclusion, contradiction }: Result, all: Result[]): boolean {
  const { configured } = second.observation;
  if (configured && contradiction) return conclusion !== 'broken';
  const own = all.filter((one) => one.rule === rule);
  return own.some((one) => !isDoubt(one)) || own.every((one) => one.conclusion !== 'broken');
}

function withFinding(
  observation: Observation,
  address: string,
  result: Result,
  entries: Entry[],
): Observation {
  const finding = findingOf(address, result);
  const entry = toleration({ ...finding, value: undefined }, entries, undefined);
  const found: Finding = entry
    ? { ...finding, kind: 'deviation', because: entry.because, ledger: placeOf(entry) }
    : finding;
  return {
    ...observation,
    findings: [...observation.findings, found],
    tolerated: [...observation.tolerated, ...(entry ? [entry.line] : [])],
  };
}

function findingOf(address: string, { rule, second, contradiction }: Result): Finding {
  const { observation } = second;
  const first = contradiction?.first.observation ?? observation;
  const pointers = contradiction?.pointers ?? { first: '', second: '' };
  const { expected, actual, against } = sentencesOf(rule.check, observation);
  return {
    kind: 'violation',
    requirement: address,
    operation: rule.operation.id,
    pointer: redactPointer(rule.operation, pointers.second),
    expected,
    actual,
    exchange: observation.exchange,
    repeat: atPlace(observation.repeat, pointers.second),
    against: {
      exchange: first.exchange,
      pointer: pointers.first,
      actual: against,
      repeat: atPlace(first.repeat, pointers.first),
    },
    sent: contradiction?.sent.map((one) => one.observation.exchange) ?? [],
  };
}
