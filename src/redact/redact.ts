import type { Operation } from '../../schemas/contract/contract.ts';
import { formatLedgerLocation, type LedgerEntry } from '../../schemas/contract/ledger.ts';
import { generalizePointer } from '../../schemas/contract/nodes.ts';
import { getHttpAddresses } from '../../schemas/contract/requirements.ts';
import { getLastStep, pickDefined } from '../../schemas/json.ts';
import { readMediaType } from '../../schemas/judge/classify.ts';
import { judge } from '../../schemas/judge/judge.ts';
import type { BrokenRequirement, Exchange, JudgedResponse, Violation } from '../../schemas/judge/judged.ts';
import { findRejectionRule } from '../../schemas/judge/rules.ts';
import type { RequestStats } from '../client/http-client.ts';
import type { Blocked } from '../client/reasons.ts';
import { adaptCurlOutput } from './curl.ts';
import { describeMediaType, describeName, describeValue, redactPointer, withheld } from './describe-value.ts';
import { createDisclosureFilter, type DisclosureFilter } from './disclosure.ts';
import {
  addRequestCounts,
  countPlacesAndRequest,
  createEmptyJudgement,
  type DescribedRequest,
  type Finding,
  ledgerPlace,
  type Observation,
  type ResponseContent,
} from './observation.ts';
import { proposeAccepts } from './received.ts';
import type { Secrets } from './secrets.ts';

export interface JudgeOptions {
  entries: LedgerEntry[];
  secrets: Secrets;
  readContent?: ReadContent;
}

/** Reads the parts of a response for open questions (`spec/questions.yaml`), redacted; undefined if the body cannot be read. */
export type ReadContent = (
  exchange: Exchange,
  judged: JudgedResponse,
  mayShow: DisclosureFilter,
) => ResponseContent | undefined;

export interface JudgedExchange {
  judged: JudgedResponse;
  observation: Observation;
}

interface FindingPlace {
  operation: Operation;
  request: DescribedRequest;
  mayShow: DisclosureFilter;
}

/** Judges a response of a test, sweep or recording, and redacts the result. No other function redacts values of responses. */
export function observe(
  exchange: Exchange,
  request: DescribedRequest & RequestStats,
  { entries, secrets, readContent }: JudgeOptions,
): JudgedExchange {
  const { operation, parameters, response, recorded } = exchange;
  const judged = judge(exchange, entries);
  const { kind, exercised, covered, blocked, hasEnvelope } = judged;
  const identifiers = collectIdentifiers(operation, parameters);
  const mayShow = createDisclosureFilter(secrets, judged.body, operation.schema, identifiers);
  const findings = listFindings(judged, { operation, request, mayShow });
  const hasNoBody = recorded?.body === 'nothing';
  const mediaType = readMediaType(response);
  const content = readContent?.(exchange, judged, mayShow);
  const observation = {
    ...addRequestCounts(request),
    status: response.status,
    kind,
    contentType: mediaType === operation.mediaType ? mediaType : describeMediaType(mediaType, mayShow),
    ...(hasNoBody ? {} : { bytes: response.body.length }),
    ...(hasEnvelope || hasNoBody ? {} : { lacksEnvelope: true as const }),
    expectsSuccess: !findRejectionRule(operation, parameters),
    exercised: blocked ? {} : countPlacesAndRequest(exercised),
    covered: blocked ? {} : covered,
    findings,
    affected: countAffectedRequest(findings),
    tolerated: listToleratingEntries(findings),
    ...(blocked ? { blocked } : {}),
    ...(content ? { content } : {}),
  };
  return { judged, observation };
}

function listToleratingEntries(findings: Finding[]): string[] {
  const places = findings.flatMap(({ ledger }) => (ledger ? [formatLedgerLocation(ledger)] : []));
  return [...new Set(places)];
}

function listFindings({ broken, undeclared }: JudgedResponse, place: FindingPlace): Finding[] {
  const findings = broken.flatMap((requirement) => createFindings(requirement, place));
  const undeclaredFindings = undeclared
    .flatMap((requirement) => createFindings(requirement, place))
    .map((finding) => ({ ...finding, kind: 'undeclared' as const }));
  return [...findings, ...undeclaredFindings];
}

/** Counts one request, however many findings it has: `{ 'getCard/http/status': { violation: 1 } }`. */
function countAffectedRequest(findings: Finding[]): Observation['affected'] {
  const affected: Observation['affected'] = {};
  for (const { requirement, kind } of findings)
    affected[requirement] = { ...affected[requirement], [kind]: 1 };
  return affected;
}

/** Creates the observation of a request without a response to judge: it was not sent, failed, or its response was not read. */
export const createBlockedObservation = (
  { operation, parameters }: Omit<Exchange, 'response'>,
  request: DescribedRequest & RequestStats,
  outcome: Blocked,
): Observation => ({
  ...addRequestCounts(request),
  expectsSuccess: !findRejectionRule(operation, parameters),
  ...createEmptyJudgement(),
  blocked: outcome.blocked,
  ...pickDefined(outcome, ['notSent', 'unreachable']),
});

/** Returns the parameter values that identify a record (`x-identifiers`), because reports must not show them. */
const collectIdentifiers = ({ parameters }: Operation, parameterValues: Record<string, string>): string[] =>
  parameters
    .filter((parameter) => parameter['x-identifiers'])
    .flatMap(({ name }) => parameterValues[name] ?? []);

/**
 * Creates the findings of a broken requirement. Merges violations that differ only in array indices, and counts them in `places`.
 * `broken.listedViolations` holds only the first violations: further ones add to the only finding, or become a finding of their own.
 */
function createFindings(broken: BrokenRequirement, place: FindingPlace): Finding[] {
  const findingsByKey = new Map<string, Finding & { places: number }>();
  for (const violation of broken.listedViolations) {
    const finding = createFinding(violation, broken, place);
    const key = formatFindingKey(finding);
    const similarFinding = findingsByKey.get(key);
    if (similarFinding) similarFinding.places += 1;
    else findingsByKey.set(key, { ...finding, places: 1 });
  }
  const findings = [...findingsByKey.values()];
  const [firstFinding] = findings;
  const unlistedPlaces = broken.violationCount - broken.listedViolations.length;
  if (!firstFinding || unlistedPlaces === 0) return findings;
  if (findings.length > 1) return [...findings, createRemainderFinding(firstFinding, unlistedPlaces)];
  return [{ ...firstFinding, places: firstFinding.places + unlistedPlaces }];
}

export const createRemainderFinding = ({ received: _, ...finding }: Finding, places: number): Finding => ({
  ...finding,
  places,
  actual: `… and ${places} more places, not listed one by one`,
});

export const isRemainderFinding = ({ actual }: Finding): boolean => /^… and \d+ more places/.test(actual);

/** Formats a key that findings share if they differ only in array indices or in the request. */
export function formatFindingKey({ kind, requirement, pointer, expected, actual, ledger }: Finding): string {
  const place = ledger && formatLedgerLocation(ledger);
  return JSON.stringify([kind, requirement, generalizePointer(pointer), expected, actual, place]);
}

function createFinding(
  violation: Violation,
  { requirement, entry }: BrokenRequirement,
  { operation, request, mayShow }: FindingPlace,
): Finding {
  const pointer = redactPointer(operation, violation.pointer, mayShow);
  const { value, schema } = violation;
  const isMediaType = requirement === getHttpAddresses(operation.id).contentType;
  const description = isMediaType ? describeMediaType(value, mayShow) : describeValue(value, schema, mayShow);
  // A missing field may be present under another name: then the command shows the value there.
  const shownPointer = redactPointer(operation, violation.similarFieldPointer ?? violation.pointer, mayShow);
  const received = entry ? undefined : proposeAccepts(operation, violation, mayShow);
  const reasonToTolerate = entry && { because: entry.because, ledger: pickDefined(entry, ledgerPlace) };
  return {
    kind: entry ? 'deviation' : 'violation',
    requirement,
    operation: operation.id,
    pointer,
    expected: violation.expected,
    actual: violation.actual ?? description + describeSimilarField(violation, mayShow),
    ...(received ? { received } : {}),
    exchange: request.exchange,
    ...pickDefined(request, ['id']),
    ...reasonToTolerate,
    repeat: adaptCurlOutput(request.repeat, shownPointer),
  };
}

/** Returns "; a field named `dialCode` is there" for a missing `dial_code`; empty without a similar field that may be shown. */
function describeSimilarField({ value, similarFieldPointer }: Violation, mayShow: DisclosureFilter): string {
  const isMissing = value === undefined;
  if (!isMissing || !similarFieldPointer) return '';
  const name = describeName(getLastStep(similarFieldPointer), mayShow);
  return name === withheld ? '' : `; a field named \`${name}\` is there`;
}
