import type { Operation } from '../../schemas/contract/contract.ts';
import { isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { isFailure, otherReason } from '../../schemas/judge/classify.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import { type Observation, type Request, withoutJudgement } from '../redact/observation.ts';
import type { Relations } from '../relations/relations.ts';
import { type Seen, shownBy } from '../relations/shown.ts';
import { type Arguments, type Asking, ask, pathOf, valuesOf } from './request.ts';
import type { Exchanges, ResponseSummary } from './session.ts';

/** Where a response comes from: enough to ask again, and to show it. */
export interface Source {
  arguments: Arguments;
  observation: Observation;
}

/** A request with its response: as an exchanges file learns of it, and as it is held against others; its source says what was observed. */
interface Sent {
  response: ResponseSummary;
  seen: Seen<Source>;
}

/** Records what one operation asks: at most one request each, given up when no response arrives. */
export class Recorder {
  /** By path; without what was held against others, which has the body. */
  readonly #responses = new Map<string, Promise<ResponseSummary>>();
  /** Of all that was requested. */
  readonly sources: Source[] = [];
  readonly exchanges: Exchanges;
  readonly #operation: Operation;
  readonly #asking: Asking;
  readonly #relations: Relations<Source>;

  constructor(operation: Operation, exchanges: Exchanges, asking: Asking, relations: Relations<Source>) {
    this.exchanges = exchanges;
    this.#operation = operation;
    this.#asking = { ...asking, breaker: new CircuitBreaker() };
    this.#relations = relations;
  }

  /** Sends a request, judges and records the response; once for the same parameters. Waits for nothing but that response. */
  readonly ask = (parameters: Arguments = {}): Promise<ResponseSummary> => {
    const path = pathOf(this.#operation, parameters);
    const response = this.#responses.get(path) ?? this.send(parameters).then((sent) => sent.response);
    this.#responses.set(path, response);
    return response;
  };

  /** Sends a request, also once more for the rules between responses. @param first what was observed when it was sent before */
  async send(parameters: Arguments, first?: Observation): Promise<Sent> {
    const overrides = first ? { again: true as const } : {};
    const { judged, observation: own } = await ask(this.#asking, this.#operation, parameters, overrides);
    const request = { operation: this.#operation, parameters: valuesOf(parameters) };
    const isOpen = judged !== undefined && this.#isOpen(request, judged, own, first);
    const observation = { ...(isOpen ? withoutJudgement(own) : own), ...overrides };
    // The record is known to be there, or may have gone: no matter of the request, nor of the configuration.
    if (isOpen && isRejected(judged)) observation.configured = false;
    const source = { arguments: parameters, observation };
    this.sources.push(source);
    const seen = { ...request, ...shownBy(this.#operation, judged), source };
    if (judged && !first) see(this.#relations, seen);
    const leaveOpen = () => {
      source.observation = withoutJudgement(source.observation);
    };
    const outcome = outcomeOf(judged);
    if (outcome.rejected && !isDocumentedRequest(this.#operation, request.parameters)) leaveOpen();
    const body = judged && !isRejected(judged) ? judged.body : undefined;
    const content = this.exchanges.summarize?.(body, observation.repeat);
    return { seen, response: { ...outcome, leaveOpen, content } };
  }

  /** Whether the contract leaves open what was answered, or the first response has shown all that is wrong with it. */
  #isOpen(
    request: Pick<Seen<unknown>, 'operation' | 'parameters'>,
    judged: Judged,
    observation: Observation,
    first: Observation | undefined,
  ): boolean {
    if (!isRejected(judged)) return first !== undefined && !showsMore(observation, first);
    const isNamed = namesFoundRecord(this.#operation, observation);
    return first
      ? judged.kind === 'rejection' || (isNamed && !saysNothing(judged))
      : judged.kind === 'rejection' && (isNamed || this.#relations.isShown(request));
  }
}

/** Holds a response against those before it; its observation says which rules it has kept. */
export function see(relations: Relations<Source>, seen: Seen<Source>): void {
  const { kept } = relations.see(seen);
  const { observation } = seen.source;
  seen.source.observation = { ...observation, exercised: { ...observation.exercised, ...kept } };
}

/** Whether something is wrong with a response that was not wrong with the first one to the same request. */
const showsMore = ({ findings, blocked }: Observation, first: Observation): boolean =>
  blocked !== undefined ||
  findings.some(({ requirement }) => first.findings.every((one) => one.requirement !== requirement));

/** Whether a response is no success, and holds nothing of what one carries. */
const isRejected = ({ kind, hasRecord }: Judged): boolean => kind !== 'success' && !hasRecord;

/** Whether a response says nothing of its request. */
const saysNothing = ({ kind, blocked }: Judged): boolean =>
  blocked !== undefined || otherReason(kind, '') !== undefined;

/** The response of a target that is overloaded says as little of its request as none. */
const outcomeOf = (judged: Judged | undefined): Pick<ResponseSummary, 'rejected' | 'failed'> =>
  judged && !saysNothing(judged)
    ? { rejected: isRejected(judged), failed: isFailure(judged.kind) }
    : { rejected: false };

/** Whether a request has an identifier that was found in a response. */
const namesFoundRecord = ({ parameters }: Operation, { configured, parameters: sent }: Request): boolean =>
  !configured &&
  parameters.some(({ name, 'x-identifiers': variable }) => variable && Object.hasOwn(sent, name));
