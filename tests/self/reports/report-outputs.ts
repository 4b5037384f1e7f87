import { buildReport, type Conformance } from '../../../reports/conformance.ts';
import { formatSummary } from '../../../reports/lines.ts';
import { formatMarkdown } from '../../../reports/markdown.ts';
import { renderContractPage } from '../../../reports/pages/contract-page.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../../schemas/judge/judged.ts';
import type { Target } from '../../../src/client/target.ts';
import { listRequests } from '../../../src/verdict/requests-made.ts';
import { evaluateReplies, exampleTarget, json, type Reply } from '../harness/examples.ts';

export const conforming: Reply = (_, response) => response;

/**
 * Judges the mock without HTTP and builds the report; `reply` changes the responses.
 * @param settings fields that replace those of `exampleTarget()`
 */
export async function judgeReplies(
  reply: Reply = conforming,
  settings: Partial<Target> = {},
): Promise<Conformance> {
  const results = await evaluateReplies(reply, settings);
  const gateNames = ['target', 'coverage', 'judged', 'ledger', 'server-errors', 'drift'];
  const gateAddresses = gateNames.map((name) => `run/${name}`);
  const requirementAddresses = results.requirementResults.map(({ address }) => address);
  const input = {
    contract: loadContract(),
    target: exampleTarget(settings),
    results: { ...results, requests: listRequests(results.observations) },
    addresses: [...gateAddresses, ...requirementAddresses],
    failed: new Set<string>(),
    problems: [],
    startedAt: new Date(0),
  };
  return buildReport(input, new Date());
}

export const formatOutputs = (run: Conformance) => ({
  terminal: formatSummary(run, 'reports'),
  markdown: formatMarkdown(run),
  page: renderContractPage(loadContract(), run),
});

export const html: HttpResponse = {
  status: 200,
  headers: { 'content-type': 'text/html' },
  body: Buffer.from('<!doctype html>'),
};

/**
 * Creates a `Reply` that changes the body of an operation's HTTP 200 responses.
 * @param change returns a new body, or edits its argument
 */
export const changeBody =
  (operation: string, change: (body: { data: Record<string, never> }) => unknown): Reply =>
  (request, response) => {
    if (request.operation !== operation || response.status !== 200) return response;
    const body = JSON.parse(Buffer.from(response.body).toString());
    return json(200, change(body) ?? body);
  };

/** Gives each card one limit with a number and one with null as `limit_amount`. */
export const breakLimits = changeBody('getCard', (body) => {
  const { card } = body.data as unknown as { card: { limits: object[] } };
  const [limit = {}] = card.limits;
  const limitWithNumber = { ...limit, limit_amount: 7 };
  const limitWithNull = { ...limit, limit_amount: null };
  card.limits = [limitWithNumber, limitWithNull, limit];
});
