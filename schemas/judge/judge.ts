import type { Rule } from '../contract/contract.ts';
import { describeExpectation } from '../contract/expectations.ts';
import type { LedgerEntry } from '../contract/ledger.ts';
import { findSchema, formatAddress } from '../contract/nodes.ts';
import { formatParameterAddress, getHttpAddresses } from '../contract/requirements.ts';
import { getValue, type ParsedBody, readJson, type UnreadableBody } from '../json.ts';
import { classifyResponse, explainInconclusive, isOk, readMediaType } from './classify.ts';
import { describeUnreadable } from './describe-body.ts';
import { createEmptyResult, Findings, type JudgeContext } from './findings.ts';
import type { Exchange, JudgedResponse } from './judged.ts';
import { getBodyChecks } from './node-checks.ts';
import { findRejectionRule, judgeFieldRules, judgeKeysAndNumbers, judgeRejection } from './rules.ts';
import { judgeValue } from './walk.ts';

/**
 * Judges one response. A violation such as a wrong HTTP status ends the checks, so that one fault breaks only one requirement.
 * An error of the suite itself is reported in `blocked`, so that other responses are still judged.
 */
export function judge(exchange: Exchange, entries: LedgerEntry[] = []): JudgedResponse {
  const { operation, response, recorded } = exchange;
  const document = recorded?.body === 'nothing' ? undefined : readJson(response.body);
  const classified = classifyResponse(operation, response, document);
  const result: JudgedResponse = { ...classified, ...createEmptyResult() };
  if (document && 'value' in document) result.body = document.value;
  if (document && 'problem' in document) result.unreadable = document.problem;
  let blocked: string | undefined;
  try {
    blocked = judgeResponse({ ...exchange, findings: new Findings(result, entries) }, document);
  } catch (error) {
    // The message of the error may contain a received value.
    blocked = `an error of this suite: it could not judge the response (${(error as Error).name})`;
  }
  // A response that was not judged has no findings.
  if (blocked !== undefined) return { ...result, ...createEmptyResult(), blocked };
  // A broken requirement was judged at least once, even if no value was there to be counted, as for a missing field.
  for (const { requirement } of result.broken) result.exercised[requirement] ??= 1;
  return result;
}

/**
 * Judges status, media type, JSON syntax and values of a response, in this order.
 * @param document parsed body; undefined if the response is from a recording that lacks the body
 * @returns reason why the response says nothing about the contract, such as HTTP 503; undefined for any other response
 */
function judgeResponse(
  context: JudgeContext,
  document: ParsedBody | UnreadableBody | undefined,
): string | undefined {
  const { operation, parameters } = context;
  const rejectionRule = findRejectionRule(operation, parameters);
  if (rejectionRule) return judgeInvalidRequest(context, rejectionRule, document);
  const isStatusDocumented = judgeStatus(context);
  if (!isStatusDocumented) return undefined;
  countAcceptedParameters(context);
  judgeMediaType(context);
  if (!document) return undefined;
  if (!('problem' in document)) return judgeJson(context, document);
  if (document.problem === 'nested too deeply') return 'the body is nested too deeply: it is not judged';
  reportUnreadable(context, document);
  return undefined;
}

/** Judges the response to a request that must be rejected (contract 4.4). @returns reason not to judge it, such as HTTP 503 */
function judgeInvalidRequest(
  context: JudgeContext,
  rejectionRule: Rule,
  document: ParsedBody | UnreadableBody | undefined,
): string | undefined {
  // Without the body, HTTP 200 may be a success or an error in the body.
  if (!document && isOk(context.response.status)) return undefined;
  const blocked = explainBlocked(context);
  if (blocked === undefined) judgeRejection(context, rejectionRule);
  return blocked;
}

/** Judges the JSON text of a body, then its error code or its values. @returns reason not to judge it, such as `code` 503 */
function judgeJson(context: JudgeContext, document: ParsedBody): string | undefined {
  const canJudgeValues = judgeJsonText(context, document);
  if (!canJudgeValues) return undefined;
  const blocked = explainBlocked(context);
  if (blocked !== undefined) return blocked;
  const isErrorInBody = reportErrorInBody(context);
  if (isErrorInBody) return undefined;
  judgeValue({ ...context, indices: [] }, getBodyChecks(context.operation), document.value);
  judgeFieldRules(context);
  return undefined;
}

/** Explains why a response says nothing about the contract. Omits a `code` that is no HTTP status: it might be a secret. */
function explainBlocked({ response: { status }, findings }: JudgeContext): string | undefined {
  const { kind, code } = findings.result;
  const isHttpStatus = code < 600;
  const codeText = isHttpStatus && code !== status ? ` with code ${code}` : '';
  return explainInconclusive(kind, `HTTP ${status}${codeText}`);
}

/** Judges the HTTP status. @returns false if the status is wrong, so that the body need not be judged */
function judgeStatus({ operation, response: { status }, findings }: JudgeContext): boolean {
  const requirement = getHttpAddresses(operation.id).status;
  findings.countJudgement(requirement);
  if (status === operation.status) return true;
  const [expected, actual] = [`HTTP ${operation.status}`, `HTTP ${status}`];
  findings.add({ requirement, pointer: 'http', expected, value: status, actual });
  return false;
}

/** Counts the requirement of each sent parameter as judged. The documented HTTP status shows that the target accepts it. */
function countAcceptedParameters({ operation, parameters, findings }: JudgeContext): void {
  for (const name of Object.keys(parameters))
    findings.countJudgement(formatParameterAddress(operation.id, name));
}

const lacksHeaders = ({ recorded }: Exchange) => recorded?.headers === false;

function judgeMediaType(context: JudgeContext): void {
  if (lacksHeaders(context)) return;
  const { operation, response, findings } = context;
  const requirement = getHttpAddresses(operation.id).contentType;
  findings.countJudgement(requirement);
  const mediaType = readMediaType(response);
  const expected = operation.mediaType;
  if (mediaType !== expected) findings.add({ requirement, pointer: 'http', expected, value: mediaType });
}

/** Adds a violation for a body that is no JSON, unless the media type is wrong, too, because both have the same cause. */
function reportUnreadable(context: JudgeContext, unreadable: UnreadableBody): void {
  const { operation, response, recorded, findings } = context;
  const hasWrongMediaType = !lacksHeaders(context) && readMediaType(response) !== operation.mediaType;
  // A recording with `body: 'value'` was parsed by another program, so that the received text is unknown.
  const isTextUnknown = recorded?.body === 'value';
  if (hasWrongMediaType || isTextUnknown) return;
  const requirement = getHttpAddresses(operation.id).json;
  findings.countJudgement(requirement);
  const actual = describeUnreadable(response, unreadable);
  findings.add({ requirement, pointer: 'http', expected: 'JSON', value: undefined, actual });
}

/** Judges the text of a body, unless a recording lacks it. @returns false if repeated keys or infinite numbers make it ambiguous */
function judgeJsonText(context: JudgeContext, document: ParsedBody): boolean {
  const { operation, recorded, findings } = context;
  const isTextUnknown = recorded?.body === 'value';
  if (isTextUnknown) return true;
  findings.countJudgement(getHttpAddresses(operation.id).json);
  return judgeKeysAndNumbers(context, document);
}

/**
 * If a body has the `code` of an error in spite of HTTP 200, adds a violation of `code` and of nothing else, because the contract
 * promises nothing about errors (contract 7). @returns whether the body is such an error
 */
function reportErrorInBody({ operation, findings }: JudgeContext): boolean {
  const { kind, body } = findings.result;
  const pointer = operation.envelope.code?.pointer;
  const value = pointer === undefined ? undefined : getValue(body, pointer);
  if (kind === 'success' || pointer === undefined || value === undefined) return false;
  const requirement = formatAddress(operation.id, pointer);
  const bodyRequirement = formatAddress(operation.id, '');
  for (const address of [bodyRequirement, requirement]) findings.countJudgement(address);
  const schema = findSchema(operation, pointer) ?? {};
  findings.add({ requirement, pointer, schema, expected: describeExpectation(schema), value });
  return true;
}
