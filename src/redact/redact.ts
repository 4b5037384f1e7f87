import type { Operation } from '../../schemas/contract/contract.ts';
import { formatEntryPlace, type LedgerEntry } from '../../schemas/contract/ledger.ts';
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
  convertToExtents,
  createEmptyJudgement,
  createRequestFields,
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

/**
 * Reads the redacted content of a judged response, from which open questions are answered. Undefined if the body cannot be read.
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

interface FindingPlace {
  operation: Operation;
  request: DescribedRequest;
  mayShow: DisclosureFilter;
}

/**
 * Judges a request and its response, and redacts the result. Every response of a test, sweep or recording passes through this
 * function, and no other function redacts values.
 */
export function observe(
  exchange: Exchange,
  request: DescribedRequest & RequestStats,
  { entries, secrets, readContent }: JudgeOptions,
): JudgedExchange {
  const { operation, parameters, answer, recorded } = exchange;
  const result = judge(exchange, entries);
  const { kind, exercised, covered, blocked, hasEnvelope } = result;
  const mayShow = createDisclosureFilter(
    secrets,
    result.body,
    operation.schema,
    collectIdentifiers(operation, parameters),
  );
  const findings = listFindings(result, { operation, request, mayShow });
  // A recording without bodies cannot show an envelope.
  const isThisApi = hasEnvelope || recorded?.body === 'nothing';
  const mediaType = readMediaType(answer);
  const content = readContent?.(exchange, result, mayShow);
  const observation = {
    ...createRequestFields(request),
    status: answer.status,
    kind,
    contentType: mediaType === operation.mediaType ? mediaType : describeMediaType(mediaType, mayShow),
    ...(recorded?.body === 'nothing' ? {} : { bytes: answer.body.length }),
    ...(isThisApi ? {} : { lacksEnvelope: true as const }),
    expectsSuccess: !findRejectionRule(operation, parameters),
    exercised: blocked ? {} : convertToExtents(exercised),
    covered: blocked ? {} : covered,
    findings,
    affected: countRequestOnce(findings),
    tolerated: [...new Set(findings.flatMap(({ ledger }) => (ledger ? [formatEntryPlace(ledger)] : [])))],
    ...(blocked ? { blocked } : {}),
    ...(content ? { content } : {}),
  };
  return { judged: result, observation };
}

function listFindings({ broken, undeclared }: JudgedResponse, place: FindingPlace): Finding[] {
  const findings = broken.flatMap((requirement) => createFindings(requirement, place));
  const undeclaredFindings = undeclared.flatMap((requirement) => createFindings(requirement, place));
  return [...findings, ...undeclaredFindings.map((finding) => ({ ...finding, kind: 'undeclared' as const }))];
}

/** Counts a request once for each requirement and kind of its findings. */
function countRequestOnce(findings: Finding[]): Observation['affected'] {
  const affected: Observation['affected'] = {};
  for (const { requirement, kind } of findings)
    affected[requirement] = { ...affected[requirement], [kind]: 1 };
  return affected;
}

export const createBlockedObservation = (
  { operation, parameters }: Omit<Exchange, 'answer'>,
  request: DescribedRequest & RequestStats,
  reason: Blocked,
): Observation => ({
  ...createRequestFields(request),
  expectsSuccess: !findRejectionRule(operation, parameters),
  ...createEmptyJudgement(),
  blocked: reason.blocked,
  ...pickDefined(reason, ['notSent', 'unreachable']),
});

/** Collects the values of parameters with `x-identifiers`, which are as restricted as the records that they identify. */
const collectIdentifiers = ({ parameters }: Operation, parameterValues: Record<string, string>): string[] =>
  parameters
    .filter((parameter) => parameter['x-identifiers'])
    .flatMap(({ name }) => parameterValues[name] ?? []);

/**
 * Creates the findings of a broken requirement. Violations that differ only in array indices become one finding with `places`.
 * `broken.places` may exceed the listed violations: the rest is added to the only finding, or gets a finding of its own if there
 * are several.
 */
function createFindings(broken: BrokenRequirement, place: FindingPlace): Finding[] {
  const groups = new Map<string, Finding & { places: number }>();
  for (const violation of broken.first) {
    const finding = createFinding(violation, broken, place);
    const key = formatFindingKey(finding);
    const similar = groups.get(key) ?? { ...finding, places: 0 };
    groups.set(key, { ...similar, places: similar.places + 1 });
  }
  const [firstFinding, ...otherFindings] = [...groups.values()];
  const unlistedPlaces = broken.places - broken.first.length;
  if (!firstFinding || unlistedPlaces === 0) return [...groups.values()];
  return otherFindings.length > 0
    ? [firstFinding, ...otherFindings, createRemainderFinding(firstFinding, unlistedPlaces)]
    : [{ ...firstFinding, places: firstFinding.places + unlistedPlaces }];
}

/** Creates a finding that stands for further places of a requirement: "… and 40 more places, not listed one by one". */
export const createRemainderFinding = ({ received: _, ...finding }: Finding, places: number): Finding => ({
  ...finding,
  places,
  actual: `… and ${places} more places, not listed one by one`,
});

export const isRemainderFinding = ({ actual }: Finding): boolean => /^… and \d+ more places/.test(actual);

/** Formats a key that is equal for findings that differ only in array indices or in the request. */
export const formatFindingKey = ({ kind, requirement, pointer, expected, actual, ledger }: Finding): string =>
  JSON.stringify([
    kind,
    requirement,
    generalizePointer(pointer),
    expected,
    actual,
    ledger && formatEntryPlace(ledger),
  ]);

/** Creates the redacted finding of one violation: a `deviation` if a ledger entry tolerates the violation. */
function createFinding(
  violation: Violation,
  { requirement, entry }: BrokenRequirement,
  place: FindingPlace,
): Finding {
  const { operation, request, mayShow } = place;
  const pointer = redactPointer(operation, violation.pointer, mayShow);
  const { value, schema, foundAt = violation.pointer } = violation;
  const isMediaType = requirement === getHttpAddresses(operation.id).contentType;
  const description = isMediaType ? describeMediaType(value, mayShow) : describeValue(value, schema, mayShow);
  const received = entry ? undefined : proposeAccepts(operation, violation, mayShow);
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
    ...(entry ? { because: entry.because, ledger: pickDefined(entry, ledgerPlace) } : {}),
    repeat: adaptCurlOutput(request.repeat, redactPointer(operation, foundAt, mayShow)),
  };
}

/**
 * Returns "; a field named `dialCode` is there" if the object has the missing field under another name. Empty if it has not, or if
 * the name may not be shown.
 */
function describeSimilarField({ value, foundAt }: Violation, mayShow: DisclosureFilter): string {
  if (value !== undefined || !foundAt) return '';
  const name = describeName(getLastStep(foundAt), mayShow);
  return name === withheld ? '' : `; a field named \`${name}\` is there`;
}
