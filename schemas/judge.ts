import type { Operation } from './contract.ts';
import { readJson } from './json.ts';
import { type Exchange, type Judgement, visit } from './judgement.ts';
import { addressOf } from './nodes.ts';
import { http } from './requirements.ts';
import {
  isRefusal,
  judgeEchoes,
  judgeRefusal,
  judgeUnambiguous,
  refusalRuleOf,
  visitDeclaredFields,
} from './rules.ts';
import { answerValidator } from './validators.ts';
import { nodeViolations, renamed } from './violations.ts';
import { visitsOf } from './visits.ts';

/** Judges one exchange; stops where the answer stops making sense, so that one fault breaks one rule. */
export function judge(exchange: Exchange): Judgement {
  const judgement: Judgement = { violations: [], visits: {}, states: {}, undeclared: [] };
  const refusal = refusalRuleOf(exchange.operation, exchange.parameters);
  if (refusal) judgeRefusal(judgement, exchange, refusal);
  else if (judgeHttp(judgement, exchange)) judgeBody(judgement, exchange);
  return judgement;
}

function judgeHttp(judgement: Judgement, { operation, parameters, answer }: Exchange): boolean {
  const at = http(operation.id);
  visit(judgement, at.status);
  if (answer.status !== operation.status) {
    const expected = `HTTP ${operation.status}`;
    const actual = `HTTP ${answer.status}`;
    judgement.violations.push({
      requirement: at.status,
      pointer: 'http',
      expected,
      value: answer.status,
      actual,
    });
    return false;
  }
  for (const name of Object.keys(parameters)) visit(judgement, `${operation.id}/parameters/${name}`);
  visit(judgement, at.contentType);
  const mediaType = answer.contentType?.split(';')[0]?.trim().toLowerCase();
  if (mediaType !== operation.mediaType) {
    judgement.violations.push({
      requirement: at.contentType,
      pointer: 'http',
      expected: operation.mediaType,
      value: mediaType,
    });
  }
  return true;
}

function judgeBody(judgement: Judgement, exchange: Exchange): void {
  const document = readJson(exchange.answer.body);
  if ('problem' in document) judgeUnreadable(judgement, exchange.operation, document.problem);
  else {
    visit(judgement, http(exchange.operation.id).json);
    judgement.body = document.value;
    if (!judgeUnambiguous(judgement, exchange.operation, document)) return;
    if (isRefusal(exchange.operation, document.value)) judgeCode(judgement, exchange.operation);
    else judgeDocument(judgement, exchange);
  }
}

function judgeUnreadable(judgement: Judgement, operation: Operation, problem: string): void {
  if (problem === 'unreadable') judgement.blocked = 'the body is nested deeper than this suite can read';
  // A page of another media type is one fault, not two.
  else if (judgement.violations.length === 0) {
    const requirement = http(operation.id).json;
    visit(judgement, requirement);
    const actual = problem === 'empty' ? 'an empty body' : `a body that is ${problem}`;
    judgement.violations.push({ requirement, pointer: 'http', expected: 'JSON', value: undefined, actual });
  }
}

/** Of a refusal the code alone is judged: what else it holds, nobody has promised (contract 7). */
function judgeCode(judgement: Judgement, operation: Operation): void {
  const validator = answerValidator(operation);
  validator(judgement.body);
  for (const pointer of ['', '/code']) visit(judgement, addressOf(operation.id, pointer));
  const violations = nodeViolations(operation, validator.errors ?? []);
  judgement.violations.push(...violations.filter(({ pointer }) => pointer === '/code'));
}

function judgeDocument(judgement: Judgement, exchange: Exchange): void {
  const { operation } = exchange;
  const { visits, states, undeclared } = visitsOf(operation, judgement.body);
  const validator = answerValidator(operation);
  validator(judgement.body);
  const violations = [
    ...nodeViolations(operation, validator.errors ?? []),
    ...renamed(operation, undeclared, judgement.body),
  ];
  for (const { requirement } of violations) visits[requirement] ??= 1;
  Object.assign(judgement.visits, visits);
  judgement.states = states;
  judgement.undeclared = undeclared;
  judgement.violations.push(...violations);
  visitDeclaredFields(judgement, operation);
  judgeEchoes(judgement, exchange);
}
