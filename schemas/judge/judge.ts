import { expectation } from '../contract/expectations.ts';
import type { Entry } from '../contract/ledger.ts';
import { addressOf, schemaAt } from '../contract/nodes.ts';
import { http, parameterAddress, ruleAddress } from '../contract/requirements.ts';
import { type Document, readJson, type Unreadable, valueAt } from '../json.ts';
import { classify, isOk, mediaTypeOf, otherReason } from './classify.ts';
import { Findings, type Judging, nothingFound } from './findings.ts';
import type { Exchange, Judged } from './judged.ts';
import { planOf } from './plan.ts';
import {
  declaredFieldsRule,
  judgeFields,
  judgeRejection,
  judgeUnambiguous,
  rejectionRuleOf,
} from './rules.ts';
import { walk } from './walk.ts';

/**
 * Judges one exchange; stops where the answer stops making sense, so that one fault breaks one rule. What this suite
 * itself fails at is said of the exchange: it must cost neither the others nor turn them green.
 * @param entries of the ledger, which tolerate some of what is broken
 */
export function judge(exchange: Exchange, entries: Entry[] = []): Judged {
  const { operation, answer, recorded } = exchange;
  const document = recorded?.body === 'nothing' ? undefined : readJson(answer.body);
  const judged: Judged = {
    ...classify(operation, answer, document),
    ...nothingFound(),
    ...(document && 'value' in document ? { body: document.value } : {}),
    ...(document && 'problem' in document ? { unreadable: document.problem } : {}),
  };
  let blocked: string | undefined;
  try {
    blocked = judgeAnswer({ ...exchange, found: new Findings(judged, entries) }, document);
  } catch (error) {
    blocked = notJudged(error);
  }
  if (blocked !== undefined) return { ...judged, ...nothingFound(), blocked };
  // What is broken was judged, be it missing.
  for (const { requirement } of judged.broken) judged.exercised[requirement] ??= 1;
  return judged;
}

/** What is said of an answer that this suite fails to judge. The message of the error may hold a value: it is left out. */
const notJudged = (error: unknown) =>
  `this suite failed to judge the answer, by its own fault (${(error as Error).name})`;

/** @returns why nothing can be said of the answer */
function judgeAnswer(judging: Judging, document: Document | Unreadable | undefined): string | undefined {
  const { operation, parameters, answer, found } = judging;
  const rejection = rejectionRuleOf(operation, parameters);
  // Of a success without its body nothing is known.
  if (rejection && !document && isOk(answer.status)) return undefined;
  if (rejection) return reasonOf(judging) ?? judgeRejection(judging, rejection);
  if (!judgeHttp(judging) || !document) return undefined;
  if (!('value' in document)) return judgeUnreadable(judging, document);
  if (!judgeText(judging, document)) return undefined;
  const reason = found.judged.kind === 'success' ? undefined : reasonOf(judging);
  if (reason !== undefined || judgeErrorCode(judging)) return reason;
  walk({ ...judging, indices: [] }, planOf(operation), document.value);
  judgeFields(judging);
  const rule = declaredFieldsRule(operation);
  if (rule) found.exercise(ruleAddress(operation.id, rule));
  return undefined;
}

/** Why a response says nothing of its request, by its status, or by the code of its body: one of HTTP, since another may be a secret. */
function reasonOf({ answer: { status }, found }: Judging): string | undefined {
  const { kind, code } = found.judged;
  return otherReason(
    kind,
    code === status || code >= 600 ? `HTTP ${status}` : `HTTP ${status} with code ${code}`,
  );
}

/** @returns whether the body is to be judged */
function judgeHttp({ operation, parameters, answer, recorded, found }: Judging): boolean {
  const { status: requirement, contentType } = http(operation.id);
  found.exercise(requirement);
  if (answer.status !== operation.status) {
    const [expected, actual] = [`HTTP ${operation.status}`, `HTTP ${answer.status}`];
    found.add({ requirement, pointer: 'http', expected, value: answer.status, actual });
    return false;
  }
  for (const name of Object.keys(parameters)) found.exercise(parameterAddress(operation.id, name));
  if (recorded?.headers === false) return true;
  found.exercise(contentType);
  const value = mediaTypeOf(answer);
  if (value !== operation.mediaType)
    found.add({ requirement: contentType, pointer: 'http', expected: operation.mediaType, value });
  return true;
}

function judgeUnreadable(
  { operation, recorded, found }: Judging,
  { problem }: Unreadable,
): string | undefined {
  if (problem === 'nested too deeply') return 'the body is nested too deeply: it is not judged';
  // A page of another media type is one fault, not two; and nothing is known of how a value was written.
  if (found.judged.broken.length > 0 || recorded?.body === 'value') return undefined;
  const requirement = http(operation.id).json;
  found.exercise(requirement);
  const actual = problem === 'empty' ? 'an empty body' : `a body that is ${problem}`;
  found.add({ requirement, pointer: 'http', expected: 'JSON', value: undefined, actual });
  return undefined;
}

/** How a body is written, where that is known. @returns whether its value is to be judged */
function judgeText(judging: Judging, document: Document): boolean {
  const { operation, recorded, found } = judging;
  if (recorded?.body === 'value') return true;
  found.exercise(http(operation.id).json);
  return judgeUnambiguous(judging, document);
}

/** The code of an error, which is not that of a success. What else an error response holds, nobody has promised. @returns whether there is one */
function judgeErrorCode({ operation, found }: Judging): boolean {
  const { kind, body } = found.judged;
  const pointer = operation.envelope.code?.pointer;
  const value = pointer === undefined ? undefined : valueAt(body, pointer);
  if (kind === 'success' || pointer === undefined || typeof value !== 'number') return false;
  for (const one of ['', pointer]) found.exercise(addressOf(operation.id, one));
  const schema = schemaAt(operation, pointer) ?? {};
  const requirement = addressOf(operation.id, pointer);
  found.add({ requirement, pointer, schema, expected: expectation(schema), value });
  return true;
}
