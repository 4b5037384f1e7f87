import { type Entry, toleration } from '../../schemas/contract/ledger.ts';
import { ruleAddress } from '../../schemas/contract/requirements.ts';
import { isFailure } from '../../schemas/judge/classify-response.ts';
import { atPlace } from '../client/curl.ts';
import { redactPointer } from '../redaction/describe-value.ts';
import { type Finding, type Observation, withoutJudgement } from '../redaction/observation.ts';
import { ledgerPlaceOf } from '../redaction/observe.ts';
import { isDoubt, type RelationResult } from './doubt.ts';
import { type RuleFacts, ruleFacts } from './rule-facts.ts';
import { sentencesOf } from './sentences.ts';

type Result = RelationResult<{ observation: Observation }>;

/**
 * Observations with what the rules between them add, by the observation as it was.
 * @param isJudged whether the rules were judged before, by other responses
 */
export function applyRelations(
  results: Result[],
  entries: Entry[],
  isJudged = false,
): Map<Observation, Observation> {
  const factsOf = ruleFacts(results, isJudged);
  const changed = new Map<Observation, Observation>();
  for (const result of results) {
    const { observation } = result.second;
    const before = changed.get(observation) ?? observation;
    changed.set(observation, withResult(before, result, factsOf(result.rule), entries));
  }
  return changed;
}

function withResult(
  observation: Observation,
  result: Result,
  facts: RuleFacts,
  entries: Entry[],
): Observation {
  const { rule, conclusion, count } = result;
  const address = ruleAddress(rule.operation.id, rule.rule);
  const isErrorResponse = 'found' in rule.check && isDoubt(result);
  if (isErrorResponse && !isLeftOpen(result, facts)) return observation;
  if (isErrorResponse && isFailed(result) && !isGone(result, facts)) return observation;
  const judged = isErrorResponse ? withoutJudgement(observation) : observation;
  if (typeof conclusion === 'object')
    return { ...judged, undecided: { ...judged.undecided, [address]: conclusion.undecided } };
  const visits = { ...judged.visits, [address]: (judged.visits[address] ?? 0) + count };
  const kept = { ...judged, visits };
  return conclusion === 'broken' ? withFinding(kept, address, result, entries) : kept;
}

/** HTTP 5xx, 3xx and other successes break a rule, and an overload that a body tells blocks, unless the record has gone. */
const isFailed = ({ second: { observation } }: Result) =>
  observation.blocked !== undefined ||
  (observation.response !== undefined && isFailure(observation.response));

function isGone({ conclusion, contradiction }: Result, facts: RuleFacts): boolean {
  if (contradiction) return typeof conclusion === 'object';
  // Where requests ran out: as all others were found to have gone.
  return facts.asked > 0 && facts.asked === facts.undecided;
}

/**
 * Whether an error response to the lookup of a listed record says nothing of any other rule: where the target finds other
 * records, or where this one may have gone. A configured record that is still listed has to be found in any case.
 */
function isLeftOpen({ second, conclusion, contradiction }: Result, facts: RuleFacts): boolean {
  const { configured } = second.observation;
  if (configured && contradiction) return conclusion !== 'broken';
  return facts.isJudged || !facts.isBroken;
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
    ? { ...finding, kind: 'deviation', because: entry.because, ledger: ledgerPlaceOf(entry) }
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
