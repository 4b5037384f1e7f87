import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import { addressesWith, json, of, type Reply, replying, resultsOf } from '../harness/examples.ts';
import { html, outputsOf, reportOf } from '../reports/report-outputs.ts';

const page = (status: number): HttpResponse => ({ ...html, status });
const bare = (status: number): HttpResponse => ({ status, contentType: undefined, body: Buffer.from('') });

const foreign: [name: string, answer: HttpResponse, received: RegExp][] = [
  ['a login page', page(200), /HTTP 200 with text\/html/],
  ['a redirect to a login page', bare(302), /HTTP 302 with no Content-Type/],
  ["a gateway's page with HTTP 404", page(404), /HTTP 404 with/],
  ['the JSON of another API', json(200, { status: 'ok', items: [] }), /HTTP 200 with application\/json/],
  ['a list of another API', json(200, [{ id: 1 }]), /HTTP 200 with application\/json/],
  ['an empty body', { ...json(200, {}), body: Buffer.from('') }, /HTTP 200 with/],
  ['no content', bare(204), /HTTP 204 with no Content-Type/],
];

for (const [name, answer, received] of foreign)
  test(`${name} in place of every response is an error, and says what was received and what to check`, async () => {
    const run = await reportOf(replying(answer));
    expect(run).toMatchObject({ verdict: 'error', gates: [{ address: 'run/target', verdict: 'error' }] });
    const verdicts = new Set(run.requirements.map(({ verdict }) => verdict));
    expect([...verdicts].filter((verdict) => verdict !== 'not exercised')).toEqual(['blocked']);
    for (const [output, text] of Object.entries(outputsOf(run))) {
      expect(text, output).toMatch(received);
      expect(text, output).toMatch(
        /no response looks like the API.*is this the API, are the credentials right\?/,
      );
    }
    const some = await reportOf(replying(answer, of('getFeeRules')));
    expect(some.requirements.find(({ address }) => address === 'getCard/code')?.verdict).toBe('pass');
  });

for (const status of [401, 403])
  test(`HTTP ${status} with a login page is an error that says to check the credentials`, async () => {
    const run = await reportOf(replying(page(status)));
    expect(run.verdict).toBe('error');
    for (const [output, text] of Object.entries(outputsOf(run)))
      expect(text, output).toContain(`rejected the request with HTTP ${status}: check the credentials`);
  });

const altered =
  (alter: (answer: HttpResponse, body: Record<string, unknown>) => Partial<HttpResponse>): Reply =>
  (_, usual) => {
    const body = JSON.parse(Buffer.from(usual.body).toString());
    return usual.status === 200 ? { ...usual, ...alter(usual, body) } : usual;
  };
const text = (body: string) => ({ body: Buffer.from(body) });

/** One thing that a provider breaks in each of its responses. */
const everywhere: [name: string, reply: Reply, breaks: string][] = [
  ['HTTP 201', altered(() => ({ status: 201 })), 'http/status'],
  ['no media type', altered(() => ({ contentType: undefined })), 'http/content-type'],
  ['a comma too many', altered((_, body) => text(JSON.stringify(body).replace(/}$/, ',}'))), 'http/json'],
  ['no code', altered((_, { code: _code, ...body }) => text(JSON.stringify(body))), 'code'],
  [
    'null as body',
    replying(
      json(200, null),
      ({ parameters }) =>
        !('type' in parameters) || parameters.type === 'business' || 'user_id' in parameters,
    ),
    'body',
  ],
  ['an error in HTTP 200', replying(json(200, { code: 40_401, message: 'no', data: null })), 'code'],
];

for (const [name, reply, breaks] of everywhere)
  test(`${name} in every response breaks ${breaks} and nothing else`, async () => {
    const { requirementResults } = await resultsOf(reply);
    const expected = loadContract().operations.map(({ id }) => `${id}/${breaks}`);
    expect(addressesWith(requirementResults, 'violation')).toEqual(expected);
    expect(addressesWith(requirementResults, 'blocked')).toEqual([]);
  });
