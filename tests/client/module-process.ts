import { type ChildProcess, fork } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { isRecord } from '../../schemas/json/read.ts';

/** An error of a module: its class, its code when it is one of Node's, and where it was thrown. */
export interface Failure {
  name: string;
  code?: string;
  place?: string;
}

/** What may be said of an error of a module: nothing of its text. */
export const describeFailure = ({ name, code, place }: Failure) =>
  name + (code ? ` (${code})` : '') + (place ? ` at ${place}` : '');

/** Names and values of headers; a value that is no text is left out. */
export type Entries = (string | undefined)[][];

/** What became of loading the module, or of one request to it. */
export interface Reply {
  loaded?: boolean;
  headers?: Entries | undefined;
  failed?: Failure;
}

/** A reply, or an error that nobody could catch, from a timer say. */
type Message = (Reply & { id: number; stray?: undefined }) | { stray: Failure };

/** What the module itself sends, as to a process manager, is none. */
const isMessage = (sent: unknown): sent is Message =>
  isRecord(sent) &&
  (isFailure(sent.stray) ||
    (sent.stray === undefined &&
      typeof sent.id === 'number' &&
      (sent.failed === undefined || isFailure(sent.failed)) &&
      (sent.headers === undefined || isEntries(sent.headers))));

const isFailure = (sent: unknown): sent is Failure =>
  isRecord(sent) && typeof sent.name === 'string' && [sent.code, sent.place].every(isTextOrNone);

const isEntries = (sent: unknown): sent is Entries =>
  Array.isArray(sent) && sent.every((entry) => Array.isArray(entry) && entry.every(isTextOrNone));

const isTextOrNone = (sent: unknown) => sent === undefined || typeof sent === 'string';

interface Pending {
  resolve(reply: Reply): void;
  reject(error: Error): void;
}

/**
 * A module in a process of its own (`signing-process.mjs`): an error that it throws where nobody can catch it, an
 * endless loop or `process.exit` cannot be taken for the suite's, and no loader of the suite's copies its source.
 */
export class ModuleProcess {
  readonly loading: Promise<Reply>;
  readonly #child: ChildProcess;
  readonly #fail: (reason: string) => Error;
  readonly #pending = new Map<number, Pending>();
  #sent = 0;
  #broken: Error | undefined;

  constructor(file: string, fail: (reason: string) => Error) {
    this.#fail = fail;
    this.#child = startProcess(file);
    // Follows the last message, as the end of the process does not.
    this.#child.on('disconnect', () => this.#break('ended its process'));
    this.#child.on('error', () => this.#break('could not be given a process'));
    this.#child.on('message', (message) => isMessage(message) && this.#receive(message));
    this.loading = this.#expect(0);
  }

  /** @throws an error that says how the module broke, now or before. */
  ask(request: object): Promise<Reply> {
    if (this.#broken) return Promise.reject(this.#broken);
    this.#sent += 1;
    const reply = this.#expect(this.#sent);
    // What cannot be sent shows when the process ends.
    this.#child.send({ id: this.#sent, request }, () => {});
    return reply;
  }

  close(): void {
    this.#break('was closed');
    this.#child.kill('SIGKILL');
  }

  #expect(id: number): Promise<Reply> {
    const reply = new Promise<Reply>((resolve, reject) => this.#pending.set(id, { resolve, reject }));
    // Whoever waits for it may have given up by then.
    reply.catch(() => {});
    return reply;
  }

  #receive(message: Message): void {
    if (message.stray) {
      const stray = `threw ${describeFailure(message.stray)} where nobody could catch it`;
      process.stderr.write(`\n  ${this.#fail(stray).message}\n`);
      this.#break(stray);
    } else {
      this.#pending.get(message.id)?.resolve(message);
      this.#pending.delete(message.id);
    }
  }

  #break(reason: string): void {
    this.#broken ??= this.#fail(reason);
    for (const { reject } of this.#pending.values()) reject(this.#broken);
    this.#pending.clear();
  }
}

function startProcess(file: string): ChildProcess {
  const child = fork(fileURLToPath(new URL('./signing-process.mjs', import.meta.url)), [path.resolve(file)], {
    execArgv: [],
    // What Node compiles must not be kept on disk either.
    env: { ...process.env, NODE_DISABLE_COMPILE_CACHE: '1' },
    serialization: 'advanced',
    // What it prints may be a secret that nobody else knows.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  return child;
}
