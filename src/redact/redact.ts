import type { Operation } from '../../schemas/contract/contract.ts';
import { type Entry, entryPlace } from '../../schemas/contract/ledger.ts';
import { pattern } from '../../schemas/contract/nodes.ts';
import { http } from '../../schemas/contract/requirements.ts';
import { pick } from '../../schemas/json.ts';
import { mediaTypeOf } from '../../schemas/judge/classify.ts';
import { judge } from '../../schemas/judge/judge.ts';
import type { Broken, Exchange, Judged, Violation } from '../../schemas/judge/judged.ts';
import { rejectionRuleOf } from '../../schemas/judge/rules.ts';
import type { Effort } from '../client/http-client.ts';
import type { Blocked } from '../client/reasons.ts';
import { atPlace } from './curl.ts';
import { describeMediaType, describeValue, redactPointer } from './describe-value.ts';
import { type Shows, showsOf } from './disclosure.ts';
import {
  type Finding,
  inOneRequest,
  ledgerPlace,
  nothingJudged,
  type Observation,
  type Request,
  requestSent,
} from './observation.ts';
import { receivedOf } from './received.ts';
import type { Secrets } from './secrets.ts';

/** What exchanges are judged by beside the contract, and what must not be shown of them. */
export interface Judging {
  entries: Entry[];
  secrets: Secrets;
}

/** An exchange that was judged, and all that is kept of it. */
export interface Observed {
  judged: Judged;
  observation: Observation;
}

/** Where something was found. */
interface Place {
  operation: Operation;
  request: Request;
  shows: Shows;
}

/**
 * Judges an exchange and keeps what may be shown of it: the one way for whatever brings it in, an ordinary request, a sweep or a
 * recording, and the single point at which values are redacted. What holds it against others (`Relations`) and what adds it
 * up (`Totals`) follow.
 */
export function observe(
  exchange: Exchange,
  request: Request & Effort,
  { entries, secrets }: Judging,
): Observed {
  const { operation, parameters, answer, recorded } = exchange;
  const judged = judge(exchange, entries);
  const { kind, exercised, covered, broken, undeclared, blocked, hasEnvelope } = judged;
  const shows = showsOf(secrets, judged.body, operation.schema, ownTexts(operation, parameters));
  const place = { operation, request, shows };
  const others = undeclared.flatMap((one) => findingsOf(one, place));
  const findings = [
    ...broken.flatMap((one) => findingsOf(one, place)),
    ...others.map((one) => ({ ...one, kind: 'undeclared' as const })),
  ];
  const affected: Observation['affected'] = {};
  for (const one of findings) affected[one.requirement] = { ...affected[one.requirement], [one.kind]: 1 };
  const isKnown = hasEnvelope || recorded?.body === 'nothing';
  const mediaType = mediaTypeOf(answer);
  const observation = {
    ...requestSent(request),
    status: answer.status,
    kind,
    contentType: mediaType === operation.mediaType ? mediaType : describeMediaType(mediaType, shows),
    ...(recorded?.body === 'nothing' ? {} : { bytes: answer.body.length }),
    ...(isKnown ? {} : { lacksEnvelope: true as const }),
    expectsSuccess: !rejectionRuleOf(operation, parameters),
    exercised: blocked ? {} : inOneRequest(exercised),
    covered: blocked ? {} : covered,
    findings,
    affected,
    tolerated: [...new Set(findings.flatMap(({ ledger }) => (ledger ? [entryPlace(ledger)] : [])))],
    ...(blocked ? { blocked } : {}),
  };
  return { judged, observation };
}

/** What is kept of a request without a response that could be judged. */
export const blockedObservation = (
  { operation, parameters }: Omit<Exchange, 'answer'>,
  request: Request & Effort,
  answer: Blocked,
): Observation => ({
  ...requestSent(request),
  expectsSuccess: !rejectionRuleOf(operation, parameters),
  ...nothingJudged(),
  blocked: answer.blocked,
  ...(answer.notSent ? { notSent: true } : {}),
});

/** Identifiers that were requested are as restricted as what was found by them. */
const ownTexts = ({ parameters }: Operation, sent: Record<string, string>): string[] =>
  parameters.filter((one) => one['x-identifiers']).flatMap(({ name }) => sent[name] ?? []);

/** Those that differ in nothing but array indices are one. Where the first ones are all alike, those that were only counted are taken to be so. */
function findingsOf(broken: Broken, place: Place): Finding[] {
  const groups = new Map<string, Finding & { places: number }>();
  for (const violation of broken.first) {
    const finding = findingOf(violation, broken, place);
    const known = groups.get(findingKey(finding));
    groups.set(findingKey(finding), { ...(known ?? finding), places: (known?.places ?? 0) + 1 });
  }
  const [first, ...others] = [...groups.values()];
  const rest = broken.places - broken.first.length;
  if (!first || rest === 0) return [...groups.values()];
  return others.length > 0
    ? [first, ...others, othersFinding(first, rest)]
    : [{ ...first, places: first.places + rest }];
}

/** The finding for so many places that are not listed one by one. */
export const othersFinding = ({ received: _, ...like }: Finding, places: number): Finding => ({
  ...like,
  places,
  actual: `… and ${places} more places, not listed one by one`,
});

/** Whether a finding stands for all that were not listed. */
export const isOthers = ({ actual }: Finding): boolean => /^… and \d+ more places/.test(actual);

/** The same for findings that differ in nothing but array indices, and in the request. */
export const findingKey = ({ kind, requirement, pointer, expected, actual, ledger }: Finding): string =>
  JSON.stringify([kind, requirement, pattern(pointer), expected, actual, ledger && entryPlace(ledger)]);

function findingOf(violation: Violation, { requirement, entry }: Broken, place: Place): Finding {
  const { operation, request, shows } = place;
  const pointer = redactPointer(operation, violation.pointer, shows);
  const { value, schema, foundAt = violation.pointer } = violation;
  const isMediaType = requirement === http(operation.id).contentType;
  const described = isMediaType ? describeMediaType(value, shows) : describeValue(value, schema, shows);
  const received = entry ? undefined : receivedOf(operation, violation, shows);
  return {
    kind: entry ? 'deviation' : 'violation',
    requirement,
    operation: operation.id,
    pointer,
    expected: violation.expected,
    actual: violation.actual ?? described,
    ...(received ? { received } : {}),
    exchange: request.exchange,
    ...pick(request, ['id']),
    ...(entry ? { because: entry.because, ledger: pick(entry, ledgerPlace) } : {}),
    repeat: atPlace(request.repeat, redactPointer(operation, foundAt, shows)),
  };
}
