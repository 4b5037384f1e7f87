import type { Operation } from '../contract/contract.ts';
import { addressOf } from '../contract/nodes.ts';
import { http, parameterAddress } from '../contract/requirements.ts';
import { iterable } from '../iterable.ts';
import { type Document, readJson, type Unreadable } from '../json/read.ts';
import { mediaTypeOf } from './classify-response.ts';
import { type Exchange, isEmpty, type Judgement, report, type Violation, visit } from './judgement.ts';
import { judgeEchoes, missingPromised } from './record-rules.ts';
import {
  blockedReason,
  judgeRejection,
  judgeUnambiguous,
  rejectionRuleOf,
  visitDeclaredFields,
} from './rules.ts';
import { isErrorEnvelope, saysError } from './success-or-error.ts';
import { renamedIn, undeclaredIn } from './undeclared.ts';
import { nodeViolations } from './violations.ts';
import { visitsOf } from './visits.ts';

/**
 * Judges one exchange; stops where the answer stops making sense, so that one fault breaks one rule. What this suite
 * itself fails at is said of the exchange, even while its violations are looked for: it must cost neither the others
 * nor turn them green.
 */
export function judge(exchange: Exchange): Judgement {
  const judgement: Judgement = { violations: [], visits: {}, states: {}, undeclared: [] };
  try {
    const rejection = rejectionRuleOf(exchange.operation, exchange.parameters);
    if (rejection) judgeRejection(judgement, exchange, rejection);
    else if (judgeHttp(judgement, exchange)) judgeBody(judgement, exchange);
  } catch (error) {
    block(judgement, error);
  }
  const { violations, undeclared } = judgement;
  judgement.violations = guarded(judgement, violations);
  judgement.undeclared = guarded(judgement, undeclared);
  return judgement;
}

/** What is found on demand, up to where looking for it fails. */
const guarded = <T>(judgement: Judgement, found: Iterable<T>): Iterable<T> =>
  Array.isArray(found) ? found : iterable(() => blocking(judgement, found));

function* blocking<T>(judgement: Judgement, found: Iterable<T>): Generator<T> {
  try {
    yield* found;
  } catch (error) {
    block(judgement, error);
  }
}

function block(judgement: Judgement, error: unknown): void {
  Object.assign(judgement, { visits: {}, states: {}, undeclared: [], blocked: notJudged(error) });
}

/** What is said of an answer that this suite fails to judge. The message of the error may hold a value: it is left out. */
export const notJudged = (error: unknown) =>
  `this suite failed to judge the answer, by its own fault (${error instanceof Error ? error.name : 'error'})`;

function judgeHttp(judgement: Judgement, exchange: Exchange): boolean {
  const { operation, parameters, answer } = exchange;
  const at = http(operation.id);
  visit(judgement, at.status);
  if (answer.status !== operation.status) {
    const expected = `HTTP ${operation.status}`;
    const actual = `HTTP ${answer.status}`;
    const { status: value } = answer;
    report(judgement, [{ requirement: at.status, pointer: 'http', expected, value, actual }]);
    return false;
  }
  for (const name of Object.keys(parameters)) visit(judgement, parameterAddress(operation.id, name));
  if (exchange.recorded?.headers !== false) judgeMediaType(judgement, exchange);
  return true;
}

function judgeMediaType(judgement: Judgement, { operation, answer }: Exchange): void {
  const requirement = http(operation.id).contentType;
  visit(judgement, requirement);
  const value = mediaTypeOf(answer.contentType);
  if (value === operation.mediaType) return;
  report(judgement, [{ requirement, pointer: 'http', expected: operation.mediaType, value }]);
}

function judgeBody(judgement: Judgement, exchange: Exchange): void {
  const { operation, answer, recorded } = exchange;
  if (recorded?.body === 'nothing') return;
  const document = readJson(answer.body, operation.schema);
  if (recorded?.body === 'value') judgeValue(judgement, exchange, document);
  else if ('value' in document) judgeJson(judgement, exchange, document);
  else judgeUnreadable(judgement, operation, document);
}

/** Nothing is said of how the value was written. */
function judgeValue(judgement: Judgement, exchange: Exchange, document: Document | Unreadable): void {
  if (!('value' in document)) return;
  judgement.body = document.value;
  const asWritten = { repeatedKeys: [], infiniteNumbers: [], inexactNumbers: [] };
  judgeEnvelope(judgement, exchange, { ...document, ...asWritten });
}

function judgeJson(judgement: Judgement, exchange: Exchange, document: Document): void {
  const { operation } = exchange;
  visit(judgement, http(operation.id).json);
  judgement.body = document.value;
  if (judgeUnambiguous(judgement, operation, document)) judgeEnvelope(judgement, exchange, document);
}

function judgeEnvelope(judgement: Judgement, exchange: Exchange, document: Document): void {
  const { operation, answer } = exchange;
  const isError = isErrorEnvelope(operation, document);
  if (isError) judgement.isErrorEnvelope = true;
  const reason = saysError(operation, document)
    ? blockedReason(operation, answer.status, document)
    : undefined;
  if (reason) Object.assign(judgement, { violations: [], visits: {}, blocked: reason });
  else if (isError) judgeCode(judgement, operation, document);
  else judgeDocument(judgement, exchange, document);
}

function judgeUnreadable(judgement: Judgement, operation: Operation, { problem }: Unreadable): void {
  // A page of another media type is one fault, not two.
  if (!isEmpty(judgement.violations)) return;
  const requirement = http(operation.id).json;
  visit(judgement, requirement);
  const actual = problem === 'empty' ? 'an empty body' : `a body that is ${problem}`;
  report(judgement, [{ requirement, pointer: 'http', expected: 'JSON', value: undefined, actual }]);
}

/** Of an error response the code alone is judged: what else it holds, nobody has promised. */
function judgeCode(judgement: Judgement, operation: Operation, { value, inexactNumbers }: Document): void {
  const pointer = operation.envelope.code?.pointer;
  for (const one of ['', pointer]) if (one !== undefined) visit(judgement, addressOf(operation.id, one));
  report(
    judgement,
    iterable(() => violationsAt(pointer, nodeViolations(operation, value, inexactNumbers))),
  );
}

function* violationsAt(pointer: string | undefined, all: Iterable<Violation>): Generator<Violation> {
  for (const violation of all) if (violation.pointer === pointer) yield violation;
}

function judgeDocument(judgement: Judgement, exchange: Exchange, document: Document): void {
  const { operation } = exchange;
  const { value, inexactNumbers, members } = document;
  const { visits, states, hasUndeclared, lacksPromised } = visitsOf(operation, value, members);
  judgement.visits = Object.assign(visits, judgement.visits);
  judgement.states = states;
  report(
    judgement,
    iterable(() => nodeViolations(operation, value, inexactNumbers)),
  );
  if (hasUndeclared) {
    report(
      judgement,
      iterable(() => renamedIn(operation, value)),
    );
    judgement.undeclared = iterable(() => undeclaredIn(operation, value));
  }
  visitDeclaredFields(judgement, operation);
  judgeEchoes(judgement, exchange);
  if (lacksPromised)
    report(
      judgement,
      iterable(() => missingPromised(operation, value)),
    );
}
