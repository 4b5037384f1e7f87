import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Choices } from './choices.ts';

export interface MockResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: unknown;
  /** Content that the mock sends unchanged. If `raw` is undefined, the mock sends the value of `body` as JSON. */
  raw?: string | Buffer;
  delayMs?: number;
  /** Makes the mock close the connection early. `before` sends nothing, and `middle` sends all but the last byte. */
  abort?: 'before' | 'middle';
}

const jsonHeaders = { 'content-type': 'application/json; charset=utf-8' };
const htmlHeaders = { 'content-type': 'text/html; charset=utf-8' };

export function success(data: Record<string, unknown>): MockResponse {
  return { status: 200, headers: { ...jsonHeaders }, body: { code: 200, message: 'success', data } };
}

const oneHourMs = 3_600_000;

const formatErrorPage = (code: number) =>
  `<!doctype html>\n<html><title>${code}</title><body><h1>${code}</h1></body></html>\n`;

/** Creates an error response in the form that `rejection` names, such as `html` for a web page. */
export function createErrorResponse(
  errorCode: number,
  message: string,
  { rejection }: Pick<Choices, 'rejection'>,
): MockResponse {
  const code = rejection === 'http-500' ? 500 : errorCode;
  const status = rejection === 'http-200' ? 200 : code;
  const jsonResponse = { status, headers: { ...jsonHeaders }, body: { code, message, data: null } };
  if (rejection === 'html')
    return { ...jsonResponse, headers: { ...htmlHeaders }, raw: formatErrorPage(code) };
  // Longer than any client waits.
  if (rejection === 'silence') return { ...jsonResponse, delayMs: oneHourMs };
  return jsonResponse;
}

export async function sendResponse(response: MockResponse, output: ServerResponse): Promise<void> {
  // `JSON.stringify` returns undefined for an undefined body.
  const bytes = Buffer.from(response.raw ?? JSON.stringify(response.body) ?? '');
  // `ref: false`: a pending delay does not keep the process alive after its client has gone.
  if (response.delayMs) await pause(response.delayMs, undefined, { ref: false });
  output.statusCode = response.status;
  for (const [name, value] of Object.entries(response.headers)) output.setHeader(name, value);
  const closeConnection = () => output.destroy();
  const allBytesButLast = bytes.subarray(0, -1);
  if (response.abort === 'before') closeConnection();
  else if (response.abort === 'middle') output.write(allBytesButLast, closeConnection);
  else output.end(bytes);
}
