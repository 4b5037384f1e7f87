import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import type { HttpClient } from '../../../src/client/http-client.ts';
import { line } from './judging.ts';

/** Wraps a client, so that `recording` returns its requests and responses as recorded traffic (newline-delimited JSON). */
export function recordExchanges(client: HttpClient): { client: HttpClient; recording(): string } {
  const exchanges: { path: string; response: HttpResponse }[] = [];
  const get: HttpClient['get'] = async (path, ...rest) => {
    const response = await client.get(path, ...rest);
    if (!('blocked' in response)) exchanges.push({ path, response });
    return response;
  };
  const formatExchange = ({ path, response: { status, headers, body } }: (typeof exchanges)[number]) => {
    const bodyBase64 = Buffer.from(body).toString('base64');
    return line({ url: `https://api.example${path}`, status, headers, body: undefined, bodyBase64 });
  };
  return { client: { ...client, get }, recording: () => exchanges.map(formatExchange).join('') };
}
