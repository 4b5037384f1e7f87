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
  describeLedgerEntry,
  type Finding,
  type Observation,
  type ResponseContent,
} from './observation.ts';
import { proposeAccepts } from './received.ts';
import type { Secrets } from './secrets.ts';

export interface JudgeOptions {
  /** Ledger entries. A violation that an entry accepts becomes a deviation. */
  entries: LedgerEntry[];
  secrets: Secrets;
  /** Reads `content` of the observation. By default, an observation has no content. */
  readContent?: ReadContent;
}

/**
 * Extracts redacted parts of a response. These parts help to answer the open questions of the contract.
 * @returns undefined if the JSON of a success is not UTF-8, or is nested too deeply
 */
export type ReadContent = (
  exchange: Exchange,
  judged: JudgedResponse,
  mayShow: DisclosureFilter,
) => ResponseContent | undefined;

export interface JudgedExchange {
  judged: JudgedResponse;
  observation: Observation;
}

interface FindingContext {
  operation: Operation;
  request: DescribedRequest;
  mayShow: DisclosureFilter;
}

/** Judges a response by contract and ledger. Returns the result as it is (`judged`) and redacted (`observation`). */
export function observe(
  exchange: Exchange,
  request: DescribedRequest & RequestStats,
  { entries, secrets, readContent }: JudgeOptions,
): JudgedExchange {
  const { operation, parameters } = exchange;
  const judged = judge(exchange, entries);
  const identifiers = collectIdentifiers(operation, parameters);
  const mayShow = createDisclosureFilter(secrets, judged.body, operation.schema, identifiers);
  const findings = listFindings(judged, { operation, request, mayShow });
  const content = readContent?.(exchange, judged, mayShow);
  const observation = {
    ...addRequestCounts(request),
    ...describeResponse(exchange, judged, mayShow),
    expectsSuccess: !findRejectionRule(operation, parameters),
    exercised: countPlacesAndRequest(judged.exercised),
    documentedValueCounts: judged.documentedValueCounts,
    ...countFindings(findings),
    ...(judged.blocked ? { blocked: judged.blocked } : {}),
    ...(content ? { content } : {}),
  };
  return { judged, observation };
}

function describeResponse(
  { operation, response, recorded }: Exchange,
  { kind, hasEnvelope }: JudgedResponse,
  mayShow: DisclosureFilter,
): Pick<Observation, 'status' | 'kind' | 'contentType' | 'bytes' | 'lacksEnvelope'> {
  const mediaType = readMediaType(response);
  const isDocumentedMediaType = mediaType === operation.mediaType;
  const contentType = isDocumentedMediaType ? mediaType : describeMediaType(mediaType, mayShow);
  const head = { status: response.status, kind, contentType };
  const isBodyUnknown = recorded?.body === 'nothing';
  if (isBodyUnknown) return head;
  const bytes = response.body.length;
  return hasEnvelope ? { ...head, bytes } : { ...head, bytes, lacksEnvelope: true };
}

function listFindings({ broken, undeclared }: JudgedResponse, context: FindingContext): Finding[] {
  const findings: Finding[] = [];
  for (const brokenRequirement of broken) findings.push(...createFindings(brokenRequirement, context));
  for (const undeclaredField of undeclared)
    for (const finding of createFindings(undeclaredField, context))
      findings.push({ ...finding, kind: 'undeclared' });
  return findings;
}

/**
 * Counts the findings of one request by requirement and kind: `{ 'getCard/code': { violation: 1 } }`. Several findings of the same
 * requirement and kind count 1, because they affect one request. Also lists the ledger entries that tolerate findings.
 */
export function countFindings(
  findings: Finding[],
): Pick<Observation, 'findings' | 'affectedRequests' | 'usedLedgerEntries'> {
  const affectedRequests: Observation['affectedRequests'] = {};
  const ledgerLocations = new Set<string>();
  for (const { requirement, kind, ledger } of findings) {
    affectedRequests[requirement] = { ...affectedRequests[requirement], [kind]: 1 };
    if (ledger) ledgerLocations.add(formatLedgerLocation(ledger));
  }
  return { findings, affectedRequests, usedLedgerEntries: [...ledgerLocations] };
}

/** Creates the observation of a blocked request. Such a request got no response to judge, for example because of a timeout. */
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

const collectIdentifiers = ({ parameters }: Operation, parameterValues: Record<string, string>): string[] =>
  parameters
    .filter((parameter) => parameter['x-identifiers'])
    .flatMap(({ name }) => parameterValues[name] ?? []);

function createFindings(broken: BrokenRequirement, context: FindingContext): Finding[] {
  const findings = mergeListedViolations(broken, context);
  const [firstFinding] = findings;
  const unlistedCount = broken.violationCount - broken.listedViolations.length;
  if (!firstFinding || unlistedCount === 0) return findings;
  // The only finding also stands for the unlisted violations.
  if (findings.length === 1) return [{ ...firstFinding, places: firstFinding.places + unlistedCount }];
  return [...findings, createRemainderFinding(firstFinding, unlistedCount)];
}

function mergeListedViolations(broken: BrokenRequirement, context: FindingContext) {
  const findingsByKey = new Map<string, Finding & { places: number }>();
  for (const violation of broken.listedViolations) {
    const finding = createFinding(violation, broken, context);
    const key = formatFindingKey(finding);
    const similarFinding = findingsByKey.get(key);
    if (similarFinding) similarFinding.places += 1;
    else findingsByKey.set(key, { ...finding, places: 1 });
  }
  return [...findingsByKey.values()];
}

export const createRemainderFinding = ({ received: _, ...finding }: Finding, places: number): Finding => ({
  ...finding,
  places,
  actual: `… and ${places} more places, not listed one by one`,
});

export const isRemainderFinding = ({ actual }: Finding): boolean => /^… and \d+ more places/.test(actual);

/** Formats a key for grouping findings. Findings have equal keys if they differ only in their request and in array indices. */
export function formatFindingKey({ kind, requirement, pointer, expected, actual, ledger }: Finding): string {
  const ledgerLocation = ledger && formatLedgerLocation(ledger);
  return JSON.stringify([kind, requirement, generalizePointer(pointer), expected, actual, ledgerLocation]);
}

function createFinding(
  violation: Violation,
  { requirement, entry: ledgerEntry }: BrokenRequirement,
  { operation, request, mayShow }: FindingContext,
): Finding {
  const redact = (pointer: string) => redactPointer(operation, pointer, mayShow);
  // A missing field may be present under another name: then the command prints the value there.
  const printedPointer = violation.similarFieldPointer ?? violation.pointer;
  const proposedAccepts = ledgerEntry ? undefined : proposeAccepts(operation, violation, mayShow);
  return {
    kind: ledgerEntry ? 'deviation' : 'violation',
    requirement,
    operation: operation.id,
    pointer: redact(violation.pointer),
    expected: violation.expected,
    actual: violation.actual ?? describeReceived(violation, operation, mayShow),
    ...(proposedAccepts ? { received: proposedAccepts } : {}),
    exchange: request.requestText,
    ...pickDefined(request, ['id']),
    ...(ledgerEntry && describeLedgerEntry(ledgerEntry)),
    repeat: adaptCurlOutput(request.curlCommand, redact(printedPointer)),
  };
}

function describeReceived(violation: Violation, operation: Operation, mayShow: DisclosureFilter): string {
  const { requirement, value, schema } = violation;
  const isMediaType = requirement === getHttpAddresses(operation.id).contentType;
  if (isMediaType) return describeMediaType(value, mayShow);
  return describeValue(value, schema, mayShow) + describeSimilarField(violation, mayShow);
}

function describeSimilarField({ similarFieldPointer }: Violation, mayShow: DisclosureFilter): string {
  if (!similarFieldPointer) return '';
  const name = describeName(getLastStep(similarFieldPointer), mayShow);
  return name === withheld ? '' : `; \`${name}\` is there instead`;
}
