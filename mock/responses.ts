import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Choices } from './choices.ts';

export interface MockResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: unknown;
  /** Bytes or text to send as they are, instead of `body` as JSON. */
  raw?: string | Buffer;
  delayMs?: number;
  /** `before`: closes the connection without a response. `middle`: closes it before the last byte of the body. */
  abort?: 'before' | 'middle';
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };

export function success(data: Record<string, unknown>): MockResponse {
  return { status: 200, headers: { ...jsonHeaders }, body: { code: 200, message: 'success', data } };
}

const oneHourMs = 3_600_000;

/**
 * Creates an error response in the form that `choices.rejection` names. The contract (section 7) prescribes no form of errors.
 * @param errorCode HTTP status and `code` of the body, such as 404. `http-200` replaces the HTTP status, `http-500` replaces both.
 */
export function createErrorResponse(
  errorCode: number,
  message: string,
  { rejection }: Pick<Choices, 'rejection'>,
): MockResponse {
  const code = rejection === 'http-500' ? 500 : errorCode;
  const status = rejection === 'http-200' ? 200 : code;
  const response = { status, headers: { ...jsonHeaders }, body: { code, message, data: null } };
  // Longer than any client waits.
  if (rejection === 'silence') return { ...response, delayMs: oneHourMs };
  if (rejection !== 'html') return response;
  const raw = `<!doctype html>\n<html><title>${code}</title><body><h1>${code}</h1></body></html>\n`;
  return { ...response, headers: { 'content-type': 'text/html; charset=utf-8' }, raw };
}

export async function sendResponse(response: MockResponse, output: ServerResponse): Promise<void> {
  const bytes = Buffer.from(response.raw ?? JSON.stringify(response.body) ?? '');
  // `ref: false`: a pending delay does not keep the process alive after its client has gone.
  if (response.delayMs) await pause(response.delayMs, undefined, { ref: false });
  output.statusCode = response.status;
  for (const [name, value] of Object.entries(response.headers)) output.setHeader(name, value);
  if (response.abort === 'before') output.destroy();
  else if (response.abort === 'middle') output.write(bytes.subarray(0, -1), () => output.destroy());
  else output.end(bytes);
}
