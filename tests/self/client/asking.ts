import { expect } from '@playwright/test';
import { type Mock, type MockOptions, type MockRequest, startMock } from '../../../mock/server.ts';
import { createClient, type HttpClient } from '../../../src/client/http-client.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import type { Environment } from '../harness/whole-run.ts';

/** Opens the client of a run with such variables, and closes the provider after it. */
export async function withClient<T>(
  provider: Pick<Mock, 'url' | 'close'>,
  env: Environment,
  use: (client: HttpClient) => Promise<T>,
  onSecret?: (secret: string) => void,
): Promise<T> {
  const all = { BASE_URL: provider.url, MAX_RPS: '10000', ...env };
  const { target, problems } = readConfiguration(all, '/nonexistent');
  expect(problems).toEqual([]);
  const client = await createClient(target, target.baseUrl ?? '', onSecret);
  try {
    return await use(client);
  } finally {
    await client.close();
    await provider.close();
  }
}

/** What requests have come to, and how a mock received each, repetitions included. */
export async function asking<T>(
  { alter = (answer) => answer, ...options }: MockOptions,
  env: Environment,
  ask: (client: HttpClient) => Promise<T>,
) {
  const sent: MockRequest[] = [];
  const secrets: string[] = [];
  const mock = await startMock({
    ...options,
    alter: (answer, request) => {
      sent.push(request);
      return alter(answer, request);
    },
  });
  const use = async (client: HttpClient) => {
    const answer = await ask(client);
    return {
      answer,
      sent,
      secrets,
      counted: client.sent(),
      repeated: client.repeated(),
      rateShare: client.rateShare(),
      trace: client.trace,
    };
  };
  return withClient(mock, env, use, (secret) => secrets.push(secret));
}

/** Asks for some paths, one after the other. */
export const inOrder =
  (...paths: string[]) =>
  async (client: HttpClient) => {
    const answers = [];
    for (const path of paths) answers.push(await client.get(path));
    return answers;
  };
