import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpClient } from '../../../src/client/http-client.ts';
import { type FindRequest, requestFinder } from '../../../src/traffic/recorded-request.ts';
import { line } from './judging.ts';

/** An exchange that a client has had, as a line of a recording. */
export interface RecordedLine {
  text: string;
  operation: string | undefined;
  parameters: Record<string, string>;
}

const host = 'https://api.example';
const find: FindRequest = requestFinder(loadContract().operations);

/** A client whose exchanges are kept as somebody who listens would record them. */
export function recordLines(client: HttpClient): { client: HttpClient; lines: RecordedLine[] } {
  const lines: RecordedLine[] = [];
  const get: HttpClient['get'] = async (path, ...rest) => {
    const answer = await client.get(path, ...rest);
    if ('blocked' in answer) return answer;
    const url = host + path;
    const { status, headers, body } = answer;
    const { operation, parameters = {} } = find(new URL(url)) ?? {};
    const bodyBase64 = Buffer.from(body).toString('base64');
    lines.push({
      text: line({ url, status, headers, body: undefined, bodyBase64 }),
      operation: operation?.id,
      parameters,
    });
    return answer;
  };
  return { client: { ...client, get }, lines };
}
