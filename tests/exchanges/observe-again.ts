import type { Operation } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { classifyStatus, type ResponseKind } from '../../schemas/judge/classify-response.ts';
import { judge } from '../../schemas/judge/judge.ts';
import type { HttpResponse, Judgement } from '../../schemas/judge/judgement.ts';
import { holdsRecord, isErrorResponse } from '../../schemas/judge/success-or-error.ts';
import { type Effort, effortOf } from '../client/http-client.ts';
import { nothingJudged, type Observation, type Request } from '../redaction/observation.ts';
import { observeExchange } from './observe-exchange.ts';
import { type Outcome, outcomeOf, saysNothing } from './outcome.ts';
import { valuesOf } from './request.ts';
import { type SeenIn, type Source, seenIn, showedPayload } from './seen-response.ts';

/** What is kept of the response to a request that was sent again. */
interface ObservedAgain {
  observation: Observation;
  seen: SeenIn;
  outcome: Outcome;
  /** Undefined where it is an error response. */
  body: unknown;
}

/** Judges what is new in the response to a request that was sent again; of an error response nothing that changed data may explain. */
export function observeAgain(
  operation: Operation,
  source: Source,
  request: Request,
  answer: HttpResponse & Effort,
  entries: Entry[],
): ObservedAgain {
  const { status, body } = answer;
  const exchange = { operation, parameters: valuesOf(source.arguments), answer };
  const judgement = judge(exchange);
  const response = classifyStatus(operation, status);
  const sent = { ...effortOf(answer), again: true as const, status, response, bytes: body.length };
  const rejected = isErrorResponse(operation, answer) && !holdsRecord(operation, answer);
  const expectsSuccess =
    rejected && !source.isLonger && isUnexplained(operation, source.observation, response, judgement);
  const observed = observeExchange(exchange, request, judgement, entries);
  const judged = rejected && !expectsSuccess ? {} : newIn(observed, source.observation);
  return {
    observation: { ...request, expectsSuccess, ...nothingJudged(), ...sent, ...judged },
    seen: seenIn(operation, response, judgement),
    outcome: outcomeOf(response, judgement, { rejected }),
    body: rejected ? undefined : judgement.body,
  };
}

/**
 * Whether no change of the data explains that a request which had a success before has an error response: the target is
 * overloaded, fails, or denies access. Of a record that a list has shown, it may fail or deny what has gone.
 */
function isUnexplained(
  operation: Operation,
  first: Observation,
  response: ResponseKind,
  judgement: Judgement,
): boolean {
  if (!showedPayload(operation, first)) return false;
  if (saysNothing(response, judgement)) return true;
  const { outcome } = seenIn(operation, response, judgement);
  return !namesFoundRecord(operation, first) && (outcome === 'failure' || outcome === 'denied');
}

/** Whether a request has an identifier that nobody has configured. */
const namesFoundRecord = ({ parameters }: Operation, first: Observation): boolean =>
  !first.configured &&
  parameters.some(({ name, 'x-identifiers': variable }) => variable && Object.hasOwn(first.parameters, name));

/** What a response breaks that the first one to the same request did not, or why it says nothing. */
function newIn(
  { findings, visits, tolerated, blocked }: Observation,
  first: Observation,
): Partial<Observation> {
  if (blocked !== undefined) return { blocked };
  const known = new Set(first.findings.map(({ requirement }) => requirement));
  const found = findings.filter(({ requirement }) => !known.has(requirement));
  const exercised = found.map(({ requirement }) => [requirement, visits[requirement] ?? 1]);
  return found.length > 0 ? { findings: found, visits: Object.fromEntries(exercised), tolerated } : {};
}
