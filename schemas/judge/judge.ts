import type { Rule } from '../contract/contract.ts';
import { describeExpectation } from '../contract/expectations.ts';
import type { LedgerEntry } from '../contract/ledger.ts';
import { findSchema, formatAddress } from '../contract/nodes.ts';
import { formatParameterAddress, formatRuleAddress, getHttpAddresses } from '../contract/requirements.ts';
import { getValue, type ParsedBody, readJson, type UnreadableBody } from '../json.ts';
import { classifyResponse, explainInconclusive, isOk, readMediaType } from './classify.ts';
import { describeUnreadable } from './describe-body.ts';
import { createEmptyResult, Findings, type JudgeContext } from './findings.ts';
import type { Exchange, JudgedResponse } from './judged.ts';
import { getBodyChecks } from './node-checks.ts';
import {
  findDeclaredFieldsRule,
  findRejectionRule,
  judgeFieldRules,
  judgeKeysAndNumbers,
  judgeRejection,
} from './rules.ts';
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
  if (!judgeHttp(context) || !document) return undefined;
  if ('problem' in document) return judgeUnreadable(context, document);
  return judgeJson(context, document);
}

/** Judges the response to a request that must not succeed, such as `type=user` without `user_id` (contract 4.4). */
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

/** Returns the reason if the body says nothing about the contract. */
function judgeJson(context: JudgeContext, document: ParsedBody): string | undefined {
  const { operation, findings } = context;
  if (!judgeJsonText(context, document)) return undefined;
  const blocked = findings.result.kind === 'success' ? undefined : explainBlocked(context);
  if (blocked !== undefined) return blocked;
  const isErrorInBody = judgeErrorCode(context);
  if (isErrorInBody) return undefined;
  judgeValue({ ...context, indices: [] }, getBodyChecks(operation), document.value);
  judgeFieldRules(context);
  const declaredFieldsRule = findDeclaredFieldsRule(operation);
  // `judgeValue` has judged this rule.
  if (declaredFieldsRule) findings.countJudgement(formatRuleAddress(operation.id, declaredFieldsRule));
  return undefined;
}

/** Explains why a response shows nothing about the target. Omits an error code from 600 on, which might be a secret. */
function explainBlocked({ response: { status }, findings }: JudgeContext): string | undefined {
  const { kind, code } = findings.result;
  const isCodeShown = code !== status && code < 600;
  return explainInconclusive(kind, isCodeShown ? `HTTP ${status} with code ${code}` : `HTTP ${status}`);
}

/** Judges HTTP status and media type. @returns false if the status is wrong, so that the body need not be judged */
function judgeHttp({ operation, parameters, response, recorded, findings }: JudgeContext): boolean {
  const addresses = getHttpAddresses(operation.id);
  const { status } = response;
  findings.countJudgement(addresses.status);
  if (status !== operation.status) {
    const [expected, actual] = [`HTTP ${operation.status}`, `HTTP ${status}`];
    findings.add({ requirement: addresses.status, pointer: 'http', expected, value: status, actual });
    return false;
  }
  // With the documented status, the target has accepted each parameter of the request.
  for (const name of Object.keys(parameters))
    findings.countJudgement(formatParameterAddress(operation.id, name));
  const hasHeaders = recorded?.headers !== false;
  if (!hasHeaders) return true;
  findings.countJudgement(addresses.contentType);
  const mediaType = readMediaType(response);
  const expected = operation.mediaType;
  if (mediaType !== expected)
    findings.add({ requirement: addresses.contentType, pointer: 'http', expected, value: mediaType });
  return true;
}

/** Adds a violation for a body that is no JSON, unless the media type is wrong, too, because both have the same cause. */
function judgeUnreadable(
  { operation, response, recorded, findings }: JudgeContext,
  unreadable: UnreadableBody,
): string | undefined {
  if (unreadable.problem === 'nested too deeply') return 'the body is nested too deeply: it is not judged';
  const hasWrongMediaType = findings.result.broken.length > 0;
  // A recording with `body: 'value'` was parsed by another program, so that the received text is unknown.
  const lacksText = recorded?.body === 'value';
  if (hasWrongMediaType || lacksText) return undefined;
  const requirement = getHttpAddresses(operation.id).json;
  findings.countJudgement(requirement);
  const actual = describeUnreadable(response, unreadable);
  findings.add({ requirement, pointer: 'http', expected: 'JSON', value: undefined, actual });
  return undefined;
}

/** Judges the JSON text of a body, unless a recording has only the parsed value. @returns false if its values are ambiguous */
function judgeJsonText(context: JudgeContext, document: ParsedBody): boolean {
  const { operation, recorded, findings } = context;
  if (recorded?.body === 'value') return true;
  findings.countJudgement(getHttpAddresses(operation.id).json);
  return judgeKeysAndNumbers(context, document);
}

/**
 * Judges a response that has the HTTP status of a success, but an error in its body. Only the field `code` is a violation,
 * because the contract promises nothing else about an error (contract 7). @returns whether the response is such an error
 */
function judgeErrorCode({ operation, findings }: JudgeContext): boolean {
  const { kind, body } = findings.result;
  const pointer = operation.envelope.code?.pointer;
  const value = pointer === undefined ? undefined : getValue(body, pointer);
  if (kind === 'success' || pointer === undefined || value === undefined) return false;
  const requirement = formatAddress(operation.id, pointer);
  findings.countJudgement(formatAddress(operation.id, ''));
  findings.countJudgement(requirement);
  const schema = findSchema(operation, pointer) ?? {};
  findings.add({ requirement, pointer, schema, expected: describeExpectation(schema), value });
  return true;
}
