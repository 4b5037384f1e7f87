import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../../schemas/contract/contract.ts';
import { readJson, valueAt } from '../../../schemas/json/read.ts';
import {
  classify,
  isAccessDenied,
  isLastingRejection,
  isTransient,
} from '../../../schemas/judge/classify-response.ts';
import type { HttpResponse } from '../../../schemas/judge/judgement.ts';
import { isErrorResponse } from '../../../schemas/judge/success-or-error.ts';
import type { Effort, HttpClient } from '../../client/http-client.ts';
import { type Arguments, pathOf } from '../../exchanges/request.ts';
import type { SweptList } from '../../exchanges/session.ts';

/** A page that was requested: its records, or why there are none. */
export interface PageAnswer {
  parameters: Arguments;
  answer?: HttpResponse & Effort;
  /** The list; undefined where the response holds none. */
  readonly records?: unknown[] | undefined;
  /** How long the response and the reading of it took, without waiting for its turn. */
  readonly tookMs?: number;
  /** Why there is no list. */
  readonly failed?: string | undefined;
  /** Whether the target says that the request is at fault, as beyond the end of a list. */
  readonly rejected?: true | undefined;
  /** Whether that is a success by its status, and by what it says: a broken one, which is judged. */
  readonly broken?: true | undefined;
}

/** What is done about a page that fails. */
export interface Patience {
  /** How often a page is requested. */
  attempts: number;
  /** Before it is requested again; twice as long each time. */
  pauseMs: number;
}

/** What is done about a page that fails, unless something else is said. */
export const patience: Patience = { attempts: 3, pauseMs: 1000 };

/** Asks for pages of one list. Never throws. */
export class ListClient {
  readonly operation: Operation;
  readonly list: SweptList;
  readonly #client: Pick<HttpClient, 'get'>;
  readonly #patience: Patience;
  readonly #first: 0 | 1;

  /** @param fromOne whether `offset` of the first page is 1 */
  constructor(
    operation: Operation,
    list: SweptList,
    client: Pick<HttpClient, 'get'>,
    { attempts, pauseMs } = patience,
    fromOne?: true,
  ) {
    this.operation = operation;
    this.list = list;
    this.#client = client;
    this.#patience = { attempts, pauseMs };
    this.#first = fromOne ? 1 : 0;
  }

  /** Asks for pages of the same list, counted from 1 where they are. */
  counting({ fromOne }: { fromOne?: true } = {}): ListClient {
    return new ListClient(this.operation, this.list, this.#client, this.#patience, fromOne);
  }

  /** A page; one that fails through no fault of the request is requested again. @param offset counted from 0 */
  readonly page = async (limit: number, offset: number): Promise<PageAnswer> => {
    const parameters = this.list.page(limit, offset + this.#first);
    const path = pathOf(this.operation, parameters);
    let pauseMs = this.#patience.pauseMs;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#client.get(path);
      const failed = 'blocked' in answer ? answer.blocked : this.#failureOf(answer);
      if (failed === undefined && !('blocked' in answer))
        return new AnsweredPage(parameters, answer, (received) => this.#contentOf(received));
      const rejected = !('blocked' in answer) && saysNothingThere(answer) ? { rejected: true as const } : {};
      if (rejected.rejected || attempt >= this.#patience.attempts)
        return { parameters, failed: failed ?? '', ...rejected };
      await pause(pauseMs);
      pauseMs *= 2;
    }
  };

  /** Any other status than that of a success may be a rejection, or a bad moment: nothing is judged of it. */
  #failureOf({ status }: HttpResponse): string | undefined {
    return status === this.operation.status ? undefined : `the target answered HTTP ${status}`;
  }

  #contentOf(answer: HttpResponse): PageContent {
    const document = readJson(answer.body, this.operation.schema);
    const value = 'value' in document ? document.value : undefined;
    const records = valueAt(value, this.list.pointer);
    // Most often there are some: then there is no need to look for an error.
    if (Array.isArray(records) && records.length > 0) return { records };
    if (isErrorResponse(this.operation, answer)) return this.#errorIn(answer.status, value);
    return Array.isArray(records) ? { records } : { failed: 'the response holds no list', broken: true };
  }

  #errorIn(status: number, value: unknown): PageContent {
    const failed = `the target answered HTTP ${status} with the code of an error`;
    const { kind } = classify(this.operation, { status, value });
    // Of these the moment, the credentials or the server are the reason, rather than the request.
    const hasOtherCause = isTransient(kind) || isAccessDenied(kind) || kind === 'server error';
    return hasOtherCause ? { failed } : { failed, rejected: true };
  }
}

/** Whether a status says that nothing is there, or that the request is at fault: what is shown behind the end of a list is open. */
const saysNothingThere = ({ status }: HttpResponse) => status === noContent || isLastingRejection(status);

const noContent = 204;

type PageContent = Pick<PageAnswer, 'records' | 'failed' | 'rejected' | 'broken'>;

/** A page that is read when somebody looks at it: while it waits for its turn, it takes no more than its bytes. */
class AnsweredPage implements PageAnswer {
  readonly parameters: Arguments;
  readonly answer: HttpResponse & Effort;
  readonly #contentOf: (answer: HttpResponse) => PageContent;
  #readingMs = 0;

  constructor(
    parameters: Arguments,
    answer: HttpResponse & Effort,
    contentOf: (answer: HttpResponse) => PageContent,
  ) {
    this.parameters = parameters;
    this.answer = answer;
    this.#contentOf = contentOf;
  }

  get records(): unknown[] | undefined {
    return this.#read().records;
  }

  get failed(): string | undefined {
    return this.#read().failed;
  }

  get rejected(): true | undefined {
    return this.#read().rejected;
  }

  get broken(): true | undefined {
    return this.#read().broken;
  }

  get tookMs(): number {
    this.#read();
    return (this.answer.durationMs ?? 0) + this.#readingMs;
  }

  /** What was read is kept with the body, until that is forgotten. */
  #read(): PageContent {
    const startedAt = performance.now();
    const content = this.#contentOf(this.answer);
    this.#readingMs ||= performance.now() - startedAt;
    return content;
  }
}
