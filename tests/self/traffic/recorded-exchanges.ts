import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import type { HttpClient } from '../../../src/client/http-client.ts';
import { createExchangeLine } from './judging.ts';

interface RecordedExchange {
  path: string;
  response: HttpResponse;
}

/** Wraps `client` so that `recording()` returns its exchanges as newline-delimited JSON. */
export function recordExchanges(client: HttpClient): { client: HttpClient; recording(): string } {
  const exchanges: RecordedExchange[] = [];
  const get: HttpClient['get'] = async (path, ...furtherArguments) => {
    const response = await client.get(path, ...furtherArguments);
    // `blocked` is the reason why a request got no response.
    if (!('blocked' in response)) exchanges.push({ path, response });
    return response;
  };
  const recording = () => exchanges.map(formatExchange).join('');
  return { client: { ...client, get }, recording };
}

function formatExchange({ path, response: { status, headers, body } }: RecordedExchange): string {
  const url = `https://api.example${path}`;
  const bodyBase64 = Buffer.from(body).toString('base64');
  return createExchangeLine({ url, status, headers, body: undefined, bodyBase64 });
}
