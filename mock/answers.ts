import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Choices } from './choices.ts';

/** What the mock is about to send. */
export interface MockAnswer {
  status: number;
  headers: Record<string, string | string[]>;
  /** A JSON value. */
  body: unknown;
  /** Sent as it stands, instead of the body. */
  raw?: string | Buffer;
  /** Waited for before anything is sent. */
  delayMs?: number;
  /** Cut the connection before the answer, or within its body. */
  abort?: 'before' | 'middle';
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

/** The envelope of an answered lookup (contract 2.1). */
export function success(data: Record<string, unknown>): MockAnswer {
  return { status: 200, headers: { ...jsonHeaders }, body: { code: 200, message: 'success', data } };
}

const anHourMs = 3_600_000;

/** An error response in the chosen form, for the contract gives it none (contract 7). */
export function errorAnswer(
  status: number,
  message: string,
  { rejection }: Pick<Choices, 'rejection'>,
): MockAnswer {
  if (rejection === 'http-500') return errorAnswer(500, message, { rejection: 'status' });
  const answer = { status, headers: { ...jsonHeaders }, body: { code: status, message, data: null } };
  if (rejection === 'http-200') return { ...answer, status: 200 };
  if (rejection === 'silence') return { ...answer, delayMs: anHourMs };
  if (rejection === 'status') return answer;
  const raw = `<!doctype html>\n<html><title>${status}</title><body><h1>${status}</h1></body></html>\n`;
  return { ...answer, headers: { 'content-type': 'text/html; charset=utf-8' }, raw };
}

/** A copy that is its own to change. */
export const copyOf = (answer: MockAnswer): MockAnswer => ({
  ...answer,
  headers: { ...answer.headers },
  body: structuredClone(answer.body),
});

/** Sends an answer as it is, the broken ones that faults are made of too. */
export async function deliver(answer: MockAnswer, response: ServerResponse): Promise<void> {
  const bytes = Buffer.from(answer.raw ?? JSON.stringify(answer.body) ?? '');
  // Unreferenced, so that a slow answer nobody waits for any more does not keep the process alive.
  if (answer.delayMs) await pause(answer.delayMs, undefined, { ref: false });
  response.statusCode = answer.status;
  for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value);
  if (answer.abort === 'before') response.destroy();
  else if (answer.abort === 'middle') response.write(bytes.subarray(0, -1), () => response.destroy());
  else response.end(bytes);
}
