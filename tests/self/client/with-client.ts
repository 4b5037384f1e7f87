import { expect } from '@playwright/test';
import { type Mock, type MockOptions, type MockRequest, startMock } from '../../../mock/server.ts';
import { createClient, type HttpClient } from '../../../src/client/http-client.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { noDotenv } from '../harness/project-files.ts';
import type { Environment } from '../harness/whole-run.ts';

/**
 * Calls `use` with a client of `provider`, and closes both afterwards.
 * @param env further variables, such as `API_HEADERS`
 * @param onSecret receives each secret of the client, such as an access token
 */
export async function withClient<T>(
  provider: Pick<Mock, 'url' | 'close'>,
  env: Environment,
  use: (client: HttpClient) => Promise<T>,
  onSecret?: (secret: string) => void,
): Promise<T> {
  const variables = { BASE_URL: provider.url, MAX_RPS: '10000', ...env };
  const { target, problems } = readConfiguration(variables, noDotenv);
  expect(problems).toEqual([]);
  const client = await createClient(target, target.baseUrl ?? '', onSecret);
  try {
    return await use(client);
  } finally {
    await client.close();
    await provider.close();
  }
}

interface SentToMock<T> {
  response: T;
  received: MockRequest[];
  secrets: string[];
  /** Number of attempts to send a request. */
  counted: number;
  /** Number of retries, keyed by reason such as `HTTP 429 with Retry-After`. */
  repeated: Record<string, number>;
  rateShare: number;
}

/**
 * Starts a mock, and calls `send` with a client of the mock.
 * @returns result of `send` as `response`, with requests, secrets and counts
 */
export async function sendToMock<T>(
  { alter = (response) => response, ...options }: MockOptions,
  env: Environment,
  send: (client: HttpClient) => Promise<T>,
): Promise<SentToMock<T>> {
  const receivedRequests: MockRequest[] = [];
  const secrets: string[] = [];
  const mock = await startMock({
    ...options,
    alter: (response, request) => {
      receivedRequests.push(request);
      return alter(response, request);
    },
  });
  const use = async (client: HttpClient) => {
    const response = await send(client);
    return {
      response,
      received: receivedRequests,
      secrets,
      counted: client.countRequests(),
      repeated: client.countRetries(),
      rateShare: client.rateShare(),
    };
  };
  return withClient(mock, env, use, (secret) => secrets.push(secret));
}

export const sendInOrder =
  (...paths: string[]) =>
  async (client: HttpClient) => {
    const outcomes = [];
    for (const path of paths) outcomes.push(await client.get(path));
    return outcomes;
  };
