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

/** Judges whether a response conforms to the contract. If the response cannot be judged, `blocked` holds the reason. */
export function judge(exchange: Exchange, entries: LedgerEntry[] = []): JudgedResponse {
  const { operation, response, recorded } = exchange;
  const document = recorded?.body === 'nothing' ? undefined : readJson(response.body);
  const classified = classifyResponse(operation, response, document);
  const result: JudgedResponse = { ...classified, ...createEmptyResult() };
  if (document && 'value' in document) result.body = document.value;
  if (document && 'problem' in document) result.unreadable = document.problem;
  // Some caches send `Age: 0` with each new response.
  if (Number(response.headers.age) > 0) result.isFromCache = true;
  const context: JudgeContext = { ...exchange, document, findings: new Findings(result, entries) };
  const blocked = judgeResponseOrBlock(context);
  // A response that was not judged has no findings.
  return blocked === undefined ? result : { ...result, ...createEmptyResult(), blocked };
}

function judgeResponseOrBlock(context: JudgeContext): string | undefined {
  try {
    return judgeResponse(context);
  } catch (error) {
    // The message of the error may contain a received value.
    return `an error of this suite: it could not judge the response (${(error as Error).name})`;
  }
}

/**
 * Judges status, media type and body of a response. Adds the violations to `context.findings`.
 * If a rule forbids the request, judges only whether the target rejected the request.
 * @returns the reason why the response cannot be judged, or undefined if it was judged
 */
function judgeResponse(context: JudgeContext): string | undefined {
  const { operation, parameters, document } = context;
  const rejectionRule = findRejectionRule(operation, parameters);
  if (rejectionRule) return judgeInvalidRequest(context, rejectionRule);
  const isStatusDocumented = judgeStatus(context);
  const { kind, broken } = context.findings.result;
  // Nothing except the status is judged yet, so an undocumented status is the only violation in `broken`.
  const isToleratedSuccess = kind === 'success' && broken.every(({ entry }) => entry);
  // One fault should break one requirement, so nothing else is judged after a wrong status, unless the ledger tolerates the status.
  if (!isStatusDocumented && !isToleratedSuccess) return undefined;
  // HTTP 200 with an error in the body accepts no parameter. A recording without bodies does not show whether there is an error.
  if (document && kind === 'success') countAcceptedParameters(context);
  judgeMediaType(context);
  if (!document) return undefined;
  const isParsed = 'value' in document;
  if (isParsed) return judgeJson(context, document);
  if (document.problem === 'nested too deeply') return 'the body is nested too deeply: it is not judged';
  reportUnreadable(context, document);
  return undefined;
}

function judgeInvalidRequest(context: JudgeContext, rejectionRule: Rule): string | undefined {
  // HTTP 200 may be a success, or a rejection with the error in the body (contract section 7). Without the body, this is unknown.
  if (!context.document && isOk(context.response.status)) return undefined;
  const blocked = explainBlocked(context);
  if (blocked !== undefined) return blocked;
  judgeRejection(context, rejectionRule);
  return undefined;
}

function judgeJson(context: JudgeContext, document: ParsedBody): string | undefined {
  const canJudgeValues = judgeJsonText(context, document);
  if (!canJudgeValues) return undefined;
  const blocked = explainBlocked(context);
  if (blocked !== undefined) return blocked;
  const isErrorInBody = reportErrorInBody(context);
  if (isErrorInBody) return undefined;
  judgeValue(context, getBodyChecks(context.operation), document.value, '');
  judgeFieldRules(context);
  return undefined;
}

function explainBlocked({ response: { status }, findings }: JudgeContext): string | undefined {
  const { kind, code } = findings.result;
  // A code that is no HTTP status, such as 40400, is not shown, because it might be a secret.
  const isHttpStatus = code < 600;
  const showsCode = isHttpStatus && code !== status;
  const statusText = showsCode ? `HTTP ${status} with code ${code}` : `HTTP ${status}`;
  return explainInconclusive(kind, statusText);
}

function judgeStatus({ operation, response: { status }, findings }: JudgeContext): boolean {
  const requirement = getHttpAddresses(operation.id).status;
  findings.countJudgement(requirement);
  if (status === operation.status) return true;
  const expected = `HTTP ${operation.status}`;
  const actual = `HTTP ${status}`;
  findings.add({ requirement, pointer: 'http', expected, value: status, actual });
  return false;
}

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

const lacksText = ({ recorded }: Exchange) => recorded?.body === 'value';

function reportUnreadable(context: JudgeContext, unreadable: UnreadableBody): void {
  const { operation, response, findings } = context;
  // The JSON syntax of a recording without the received text is unknown.
  if (lacksText(context)) return;
  const { contentType, json: requirement } = getHttpAddresses(operation.id);
  // A wrong media type is already a violation, and has the same cause, unless a ledger entry tolerates it.
  const isMediaTypeViolated = findings.result.broken.some(
    (broken) => broken.requirement === contentType && !broken.entry,
  );
  if (isMediaTypeViolated) return;
  findings.countJudgement(requirement);
  const actual = describeUnreadable(response, unreadable);
  findings.add({ requirement, pointer: 'http', expected: 'JSON', value: undefined, actual });
}

/**
 * Judges the JSON text of a body. Repeated keys and infinite numbers are violations.
 * @returns false if a violation was added. In this case, the values of the body are ambiguous and must not be judged.
 */
function judgeJsonText(context: JudgeContext, document: ParsedBody): boolean {
  const { operation, findings } = context;
  // A recording without the received text shows no repeated keys. Its values can be judged.
  if (lacksText(context)) return true;
  findings.countJudgement(getHttpAddresses(operation.id).json);
  return judgeKeysAndNumbers(context, document);
}

/**
 * Adds a violation if the body of HTTP 200 is an error with a `code`. For example, `{ code: 404 }` violates `getCard/code`.
 * @returns whether a violation was added
 */
function reportErrorInBody({ operation, findings }: JudgeContext): boolean {
  const { kind: responseKind, body } = findings.result;
  const codePointer = operation.envelope.code?.pointer;
  if (responseKind === 'success' || codePointer === undefined) return false;
  const code = getValue(body, codePointer);
  if (code === undefined) return false;
  const bodyRequirement = formatAddress(operation.id, '');
  const codeRequirement = formatAddress(operation.id, codePointer);
  // A body that has a `code` is an object, as the contract promises, so the body itself passes.
  findings.countJudgement(bodyRequirement);
  findings.countJudgement(codeRequirement);
  const schema = findSchema(operation, codePointer) ?? {};
  // Only `code` is a violation, because the contract promises nothing about the other fields of an error (contract 7).
  findings.add({
    requirement: codeRequirement,
    pointer: codePointer,
    schema,
    expected: describeExpectation(schema),
    value: code,
  });
  return true;
}
