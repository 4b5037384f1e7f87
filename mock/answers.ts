import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Choices } from './choices.ts';

/** Response of the mock, before it is sent. */
export interface MockAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  /** JSON value, serialized unless `raw` is set. */
  body: unknown;
  /** Bytes or text to send unchanged, instead of `body`. */
  raw?: string | Buffer;
  /** Milliseconds to wait before the first byte. */
  delayMs?: number;
  /** Closes the connection before the first byte of the response (`before`), or before the last one (`middle`). */
  abort?: 'before' | 'middle';
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

/** Returns a successful response: HTTP 200, with `data` in the envelope (contract 2.1). */
export function success(data: Record<string, unknown>): MockAnswer {
  return { status: 200, headers: { ...jsonHeaders }, body: { code: 200, message: 'success', data } };
}

const oneHourMs = 3_600_000;

/**
 * Returns an error response in the form of `Choices.rejection`, because the contract defines none (contract 7).
 * @param status HTTP status and code in the body, unless the form has another one
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

/** Copies an answer with its headers and body, so that `MockOptions.alter` may change the copy. */
export const copyAnswer = (answer: MockAnswer): MockAnswer => ({
  ...answer,
  headers: { ...answer.headers },
  body: structuredClone(answer.body),
});

/** Sends an answer as it is, even if it is malformed, after `delayMs`. With `abort`, closes the connection early. */
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
