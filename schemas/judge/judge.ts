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
  judgeFields,
  judgeRejection,
  judgeUnambiguous,
} from './rules.ts';
import { judgeValue } from './walk.ts';

/**
 * Judges one response. Stops at the first fault that makes the remaining checks meaningless, so that one fault breaks one
 * requirement. If the suite itself fails while judging, the result has no findings and says so in `blocked`; other responses are
 * judged as usual.
 * @param entries ledger entries in force, which tolerate some violations; default: none
 */
export function judge(exchange: Exchange, entries: LedgerEntry[] = []): JudgedResponse {
  const { operation, answer, recorded } = exchange;
  const document = recorded?.body === 'nothing' ? undefined : readJson(answer.body);
  const result: JudgedResponse = {
    ...classifyResponse(operation, answer, document),
    ...createEmptyResult(),
    ...(document && 'value' in document ? { body: document.value } : {}),
    ...(document && 'problem' in document ? { unreadable: document.problem } : {}),
  };
  let blocked: string | undefined;
  try {
    blocked = judgeResponse({ ...exchange, findings: new Findings(result, entries) }, document);
  } catch (error) {
    blocked = describeInternalError(error);
  }
  if (blocked !== undefined) return { ...result, ...createEmptyResult(), blocked };
  // A broken requirement was judged at least once, even if no value was there to be counted, as for a missing field.
  for (const { requirement } of result.broken) result.exercised[requirement] ??= 1;
  return result;
}

/**
 * Describes an error that this suite threw while judging, by its class: "… could not judge the response
 * (TypeError)". Omits its message, which may contain a value of the target.
 */
const describeInternalError = (error: unknown) =>
  `an error of this suite: it could not judge the response (${(error as Error).name})`;

/**
 * Judges the response step by step: HTTP status and media type, then the text of the body, then its value. Adds violations to
 * `context.findings`.
 * @param document parsed body; undefined if a recording does not hold the body
 * @returns reason why the response says nothing about the contract, such as HTTP 503; undefined if it was judged, or if none of its
 * parts can be judged
 */
function judgeResponse(
  context: JudgeContext,
  document: ParsedBody | UnreadableBody | undefined,
): string | undefined {
  const { operation, parameters, answer, findings } = context;
  const rejectionRule = findRejectionRule(operation, parameters);
  // Without its body, a success cannot be told from an error in an envelope.
  if (rejectionRule && !document && isOk(answer.status)) return undefined;
  if (rejectionRule) {
    const blocked = explainBlocked(context);
    if (blocked === undefined) judgeRejection(context, rejectionRule);
    return blocked;
  }
  if (!judgeHttp(context) || !document) return undefined;
  if (!('value' in document)) return judgeUnreadable(context, document);
  if (!judgeText(context, document)) return undefined;
  const reason = findings.result.kind === 'success' ? undefined : explainBlocked(context);
  if (reason !== undefined) return reason;
  if (judgeErrorCode(context)) return undefined;
  judgeValue({ ...context, indices: [] }, getBodyChecks(operation), document.value);
  judgeFields(context);
  const rule = findDeclaredFieldsRule(operation);
  if (rule) findings.countJudgement(formatRuleAddress(operation.id, rule));
  return undefined;
}

/**
 * Explains why a response says nothing about the contract, by its status or by the code of its body: "the target responded with HTTP 200
 * with code 503: …". Undefined if the response can be judged. A code of 600 or more is not shown, because it might be a secret.
 */
function explainBlocked({ answer: { status }, findings }: JudgeContext): string | undefined {
  const { kind, code } = findings.result;
  const isCodeShown = code !== status && code < 600;
  return explainInconclusive(kind, isCodeShown ? `HTTP ${status} with code ${code}` : `HTTP ${status}`);
}

/**
 * Judges HTTP status and media type. With the documented status, also counts each parameter of the request as accepted.
 * @returns whether the body is to be judged: false for another status
 */
function judgeHttp({ operation, parameters, answer, recorded, findings }: JudgeContext): boolean {
  const { status: requirement, contentType } = getHttpAddresses(operation.id);
  findings.countJudgement(requirement);
  if (answer.status !== operation.status) {
    const [expected, actual] = [`HTTP ${operation.status}`, `HTTP ${answer.status}`];
    findings.add({ requirement, pointer: 'http', expected, value: answer.status, actual });
    return false;
  }
  // The documented status shows that the target accepted each parameter.
  for (const name of Object.keys(parameters))
    findings.countJudgement(formatParameterAddress(operation.id, name));
  const isMediaTypeUnknown = recorded?.headers === false;
  if (isMediaTypeUnknown) return true;
  findings.countJudgement(contentType);
  const value = readMediaType(answer);
  if (value !== operation.mediaType)
    findings.add({ requirement: contentType, pointer: 'http', expected: operation.mediaType, value });
  return true;
}

/**
 * Judges that a body is JSON, unless its media type is wrong already.
 * @returns reason why the body is inconclusive (nested too deeply); undefined if it was judged
 */
function judgeUnreadable(
  { operation, answer, recorded, findings }: JudgeContext,
  unreadable: UnreadableBody,
): string | undefined {
  if (unreadable.problem === 'nested too deeply') return 'the body is nested too deeply: it is not judged';
  // A wrong media type and unreadable JSON are one fault. A body recorded as a parsed value does not show its original text.
  if (findings.result.broken.length > 0 || recorded?.body === 'value') return undefined;
  const requirement = getHttpAddresses(operation.id).json;
  findings.countJudgement(requirement);
  const actual = describeUnreadable(answer, unreadable);
  findings.add({ requirement, pointer: 'http', expected: 'JSON', value: undefined, actual });
  return undefined;
}

/**
 * Judges that no key of a body is repeated and that its numbers are finite, unless a recording lacks the original text.
 * @returns whether the value of the body is to be judged
 */
function judgeText(context: JudgeContext, document: ParsedBody): boolean {
  const { operation, recorded, findings } = context;
  if (recorded?.body === 'value') return true;
  findings.countJudgement(getHttpAddresses(operation.id).json);
  return judgeUnambiguous(context, document);
}

/**
 * Judges the code in the body of an error that came with the HTTP status of a success. The wrong code is the only
 * violation, because no other part of an error response is promised (contract 7).
 * @returns whether the body is such an error
 */
function judgeErrorCode({ operation, findings }: JudgeContext): boolean {
  const { kind, body } = findings.result;
  const pointer = operation.envelope.code?.pointer;
  const value = pointer === undefined ? undefined : getValue(body, pointer);
  if (kind === 'success' || pointer === undefined || value === undefined) return false;
  // The body itself and its code are judged.
  const requirement = formatAddress(operation.id, pointer);
  findings.countJudgement(formatAddress(operation.id, ''));
  findings.countJudgement(requirement);
  const schema = findSchema(operation, pointer) ?? {};
  findings.add({ requirement, pointer, schema, expected: describeExpectation(schema), value });
  return true;
}
