import { setTimeout as pause } from 'node:timers/promises';
import type { Operation } from '../../schemas/contract/contract.ts';
import { isObject, readJson, valueAt } from '../../schemas/json/read.ts';
import type { HttpResponse } from '../../schemas/judge/judgement.ts';
import type { Effort, HttpClient } from '../client/http-client.ts';
import { type Arguments, pathOf } from '../exchanges/request.ts';
import type { SweptList } from '../exchanges/session.ts';

/** A page that was requested: its records, or why there are none. */
export interface PageAnswer {
  parameters: Arguments;
  answer?: HttpResponse & Effort;
  /** The list; undefined where the response holds none. */
  readonly records?: unknown[] | undefined;
  /** How long the response and the reading of it took, without waiting for its turn. */
  readonly tookMs?: number;
  /** Why there is no success. */
  failed?: string;
  /** Whether the target says that the request is at fault, as beyond the end of a list. */
  rejected?: true;
}

/** What is done about a page that fails. */
export interface Patience {
  /** How often a page is requested. */
  attempts: number;
  /** Before it is requested again; twice as long each time. */
  pauseMs: number;
}

export const patience: Patience = { attempts: 3, pauseMs: 1000 };

/** Of these the request is the reason, rather than the moment or the credentials. */
const rejections = new Set([400, 404, 416, 422]);

/** Asks for pages of one list. Never throws. */
export class ListClient {
  readonly operation: Operation;
  readonly list: SweptList;
  readonly #client: Pick<HttpClient, 'get'>;
  readonly #patience: Patience;

  constructor(
    operation: Operation,
    list: SweptList,
    client: Pick<HttpClient, 'get'>,
    { attempts, pauseMs } = patience,
  ) {
    this.operation = operation;
    this.list = list;
    this.#client = client;
    this.#patience = { attempts, pauseMs };
  }

  /** A page; one that fails through no fault of the request is requested again. */
  readonly page = async (limit: number, offset: number): Promise<PageAnswer> => {
    const parameters = this.list.page(limit, offset);
    const path = pathOf(this.operation, parameters);
    let pauseMs = this.#patience.pauseMs;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#client.get(path);
      const failed = 'blocked' in answer ? answer.blocked : this.#failureOf(answer);
      if (failed === undefined && !('blocked' in answer))
        return new AnsweredPage(parameters, answer, this.#listIn);
      const rejected =
        !('blocked' in answer) && rejections.has(answer.status) ? { rejected: true as const } : {};
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

  readonly #listIn = ({ body }: HttpResponse): unknown[] | undefined => {
    const document = readJson(body, this.operation.schema);
    const records = 'value' in document ? valueAt(document.value, this.list.pointer) : undefined;
    return Array.isArray(records) ? records : undefined;
  };
}

/** A page whose records are read when somebody looks at them: while it waits for its turn, it takes no more than its bytes. */
class AnsweredPage implements PageAnswer {
  readonly parameters: Arguments;
  readonly answer: HttpResponse & Effort;
  readonly #listIn: (answer: HttpResponse) => unknown[] | undefined;
  #readingMs = 0;

  constructor(
    parameters: Arguments,
    answer: HttpResponse & Effort,
    listIn: (answer: HttpResponse) => unknown[] | undefined,
  ) {
    this.parameters = parameters;
    this.answer = answer;
    this.#listIn = listIn;
  }

  get records(): unknown[] | undefined {
    return this.#read();
  }

  get tookMs(): number {
    this.#read();
    return (this.answer.durationMs ?? 0) + this.#readingMs;
  }

  /** What was read is kept with the body, for as long as that is not told to forget it. */
  #read(): unknown[] | undefined {
    const startedAt = performance.now();
    const records = this.#listIn(this.answer);
    this.#readingMs ||= performance.now() - startedAt;
    return records;
  }
}

/** What identifies a record: the value of its key, or else all that it holds. */
export function identityOf(record: unknown, key: string): string {
  const value = isObject(record) && Object.hasOwn(record, key) ? record[key] : undefined;
  return typeof value === 'string' ? value : (JSON.stringify(record) ?? '').slice(0, longest);
}

const longest = 10_000;
