import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Choices } from './choices.ts';

/** Response that the mock is going to send. Tests may change each part of it. */
export interface MockAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  /** JSON value that is sent as the body, unless `raw` is set. */
  body: unknown;
  /** Bytes or text that are sent as the response body instead of the JSON value in `body`. */
  raw?: string | Buffer;
  /** Milliseconds that the mock waits before it sends the first byte of the response. */
  delayMs?: number;
  /** Makes the mock close the connection: before the first byte of the response (`before`), or before its last byte (`middle`). */
  abort?: 'before' | 'middle';
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

/** Returns a successful response: HTTP 200, with `data` in the envelope (contract 2.1). */
export function success(data: Record<string, unknown>): MockAnswer {
  return { status: 200, headers: { ...jsonHeaders }, body: { code: 200, message: 'success', data } };
}

const oneHourMs = 3_600_000;

/**
 * Returns the response to a rejected request. The contract leaves its form open (contract 7), so `rejection` chooses one, such as a web
 * page; with `silence`, the response comes only after an hour.
 * @param status HTTP status, and `code` in the body; `http-200` and `http-500` have the HTTP status in their name
 */
export function errorAnswer(
  status: number,
  message: string,
  { rejection }: Pick<Choices, 'rejection'>,
): MockAnswer {
  if (rejection === 'http-500') return errorAnswer(500, message, { rejection: 'status' });
  const answer = { status, headers: { ...jsonHeaders }, body: { code: status, message, data: null } };
  if (rejection === 'http-200') return { ...answer, status: 200 };
  // Longer than any client waits.
  if (rejection === 'silence') return { ...answer, delayMs: oneHourMs };
  if (rejection === 'status') return answer;
  const raw = `<!doctype html>\n<html><title>${status}</title><body><h1>${status}</h1></body></html>\n`;
  return { ...answer, headers: { 'content-type': 'text/html; charset=utf-8' }, raw };
}

/** Copies a response with its headers and body, so that `MockOptions.alter` may change the copy in place. */
export const copyAnswer = (answer: MockAnswer): MockAnswer => ({
  ...answer,
  headers: { ...answer.headers },
  body: structuredClone(answer.body),
});

/** Waits for `delayMs`, then sends the response as it is, even if it is malformed. With `abort`, closes the connection early. */
export async function sendAnswer(answer: MockAnswer, response: ServerResponse): Promise<void> {
  const bytes = Buffer.from(answer.raw ?? JSON.stringify(answer.body) ?? '');
  // Unreferenced, so that a slow answer does not keep the process alive after its client has gone.
  if (answer.delayMs) await pause(answer.delayMs, undefined, { ref: false });
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  if (answer.abort === 'before') response.destroy();
  else if (answer.abort === 'middle') response.write(bytes.subarray(0, -1), () => response.destroy());
  else response.end(bytes);
}
