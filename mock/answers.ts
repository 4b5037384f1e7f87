import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Choices } from './choices.ts';

/** Response that the mock is going to send. Tests may change each part of it. */
export interface MockAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  body: unknown;
  /** Bytes or text that are sent instead of `body`, as they are. */
  raw?: string | Buffer;
  delayMs?: number;
  /** Closes the connection before the first byte of the response (`before`), or before its last byte (`middle`). */
  abort?: 'before' | 'middle';
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

/** Creates a success: HTTP 200, with `data` in the envelope (contract 2.1). */
export function success(data: Record<string, unknown>): MockAnswer {
  return { status: 200, headers: { ...jsonHeaders }, body: { code: 200, message: 'success', data } };
}

const oneHourMs = 3_600_000;

/**
 * Creates the response to a rejected request in the form that `rejection` names, because contract 7 leaves the form open.
 * @param status HTTP status, and `code` in the body; `http-200` keeps only `code`, and `http-500` replaces both by 500
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

/** Copies a response with its headers and body, so that `Alter` may change the copy in place. */
export const copyAnswer = (answer: MockAnswer): MockAnswer => ({
  ...answer,
  headers: { ...answer.headers },
  body: structuredClone(answer.body),
});

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
