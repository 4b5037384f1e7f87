import type { Operation } from '../../schemas/contract/contract.ts';
import { isDocumentedRequest } from '../../schemas/contract/validators.ts';
import { isFailure, otherReason } from '../../schemas/judge/classify.ts';
import type { Judged } from '../../schemas/judge/judged.ts';
import { CircuitBreaker } from '../client/http-client.ts';
import { type Observation, type Request, withoutJudgement } from '../redact/observation.ts';
import type { Relations } from '../relations/relations.ts';
import { type Seen, shownBy } from '../relations/shown.ts';
import { type Arguments, type Asking, ask, pathOf, valuesOf } from './request.ts';
import type { ExchangesResult, ResponseSummary } from './session.ts';

/** Where a response comes from: enough to ask again, and to show it. */
export interface Source {
  arguments: Arguments;
  observation: Observation;
}

/** What a recorder works with. */
export interface RecorderContext extends Asking {
  /** What is kept of a body. */
  summarize?: ((body: unknown, repeat: string) => unknown) | undefined;
  /** What holds responses against each other. */
  relations: Pick<Relations<Source>, 'see' | 'isShown'>;
  /** Receives each response that was not requested before. */
  onResponse?(seen: Seen<Source>): void;
}

/** A request with its response: as an exchanges file learns of it, and as it is held against others; its source says what was observed. */
interface Sent {
  response: ResponseSummary;
  seen: Seen<Source>;
}

/** Records what one operation asks: at most one request each, given up when no response arrives. */
export class Recorder {
  readonly #sent = new Map<string, Promise<Sent>>();
  readonly #sentAgain: Promise<Sent>[] = [];
  readonly #operation: Operation;
  readonly #context: RecorderContext;

  constructor(operation: Operation, context: RecorderContext) {
    this.#operation = operation;
    this.#context = { ...context, breaker: new CircuitBreaker() };
  }

  /** Sends a request, judges and records the response; once for the same parameters. Waits for nothing but that response. */
  readonly ask = async (parameters: Arguments = {}): Promise<ResponseSummary> => {
    const path = pathOf(this.#operation, parameters);
    const recorded = this.#sent.get(path) ?? this.#send(parameters);
    this.#sent.set(path, recorded);
    return (await recorded).response;
  };

  /** Sends a request once more, for the rules between responses. */
  readonly askAgain = async ({ arguments: parameters, observation }: Source): Promise<Seen<Source>> => {
    const recorded = this.#send(parameters, observation);
    this.#sentAgain.push(recorded);
    return (await recorded).seen;
  };

  /**
   * What was observed: what is `inOrder`, since it was requested in parallel, then all else as it was requested, and then what
   * was requested again. Of error responses that the contract leaves open nothing is judged.
   */
  async observations({ openErrors = [], inOrder = [] }: ExchangesResult = {}): Promise<Observation[]> {
    const recorded = await Promise.all([...this.#sent.values(), ...this.#sentAgain]);
    const isOpen = ({ response, seen }: Sent) =>
      openErrors.includes(response) || !isDocumentedRequest(this.#operation, seen.parameters);
    const first = inOrder.flatMap((response) => recorded.find((one) => one.response === response) ?? []);
    return [...new Set([...first, ...recorded])].map((one) => {
      const { observation } = one.seen.source;
      return one.response.rejected && isOpen(one) ? withoutJudgement(observation) : observation;
    });
  }

  /** @param first what was observed when the request was sent before */
  async #send(parameters: Arguments, first?: Observation): Promise<Sent> {
    const { relations, onResponse, summarize } = this.#context;
    const overrides = first ? { again: true as const } : {};
    const asked = await ask(this.#context, this.#operation, parameters, overrides);
    const { judged, observation: own } = asked;
    const request = { operation: this.#operation, parameters: valuesOf(parameters) };
    const isOpen = judged !== undefined && this.#isOpen(request, judged, own, first);
    const observation = { ...(isOpen ? withoutJudgement(own) : own), ...overrides };
    // The record is known to be there, or may have gone: no matter of the request, nor of the configuration.
    if (isOpen && isRejected(judged)) observation.configured = false;
    const source = { arguments: parameters, observation };
    const seen = { ...request, ...shownBy(this.#operation, judged), source };
    if (judged && !first) {
      const { kept } = relations.see(seen);
      source.observation = { ...observation, exercised: { ...observation.exercised, ...kept } };
      onResponse?.(seen);
    }
    const body = judged && !isRejected(judged) ? judged.body : undefined;
    return { seen, response: { ...outcomeOf(judged), content: summarize?.(body, observation.repeat) } };
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
      : judged.kind === 'rejection' && (isNamed || this.#context.relations.isShown(request));
  }
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
const outcomeOf = (judged: Judged | undefined): Omit<ResponseSummary, 'content'> =>
  judged && !saysNothing(judged)
    ? { rejected: isRejected(judged), failed: isFailure(judged.kind) }
    : { rejected: false };

/** Whether a request has an identifier that was found in a response. */
const namesFoundRecord = ({ parameters }: Operation, { configured, parameters: sent }: Request): boolean =>
  !configured &&
  parameters.some(({ name, 'x-identifiers': variable }) => variable && Object.hasOwn(sent, name));
