import { buildReport } from '../../../reports/build-report.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { markdownOf } from '../../../reports/markdown.ts';
import { contractPage } from '../../../reports/pages/contract-page.ts';
import { summaryOf } from '../../../reports/summary.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../../schemas/judge/judgement.ts';
import { exampleTarget, json, type Reply, resultsOf } from '../harness/examples.ts';

export const gates = ['target', 'coverage', 'ledger', 'server-errors', 'drift'].map((name) => `run/${name}`);
export const usual: Reply = (_, answer) => answer;

/** The report of a run on a provider, of all requirements or of some. */
export async function reportOf(
  reply: Reply = usual,
  settings = {},
  addresses?: string[],
  problems: string[] = [],
): Promise<Conformance> {
  const results = await resultsOf(reply, settings);
  const all = [...gates, ...results.requirementResults.map(({ address }) => address)];
  const contract = loadContract();
  const input = { contract, target: exampleTarget(settings), results, addresses: addresses ?? all };
  const rest = { failed: new Set<string>(), problems, startedAt: new Date(0) };
  return buildReport({ ...input, ...rest }, new Date());
}

/** The verdict as each output says it. */
export const outputsOf = (run: Conformance) => ({
  terminal: summaryOf(run, 'reports'),
  markdown: markdownOf(run),
  page: contractPage(loadContract(), run),
});

export const html: HttpResponse = {
  status: 200,
  contentType: 'text/html',
  body: Buffer.from('<!doctype html>'),
};

/** Both limits of each card have a wrong amount, of another kind each; the first card alone has a wrong status. */
export const broken: Reply = ({ operation }, answer) => {
  if (operation !== 'getCard') return answer;
  const body = JSON.parse(Buffer.from(answer.body).toString());
  const [limit] = body.data.card.limits;
  body.data.card.limits = [{ ...limit, limit_amount: 7 }, { ...limit, limit_amount: null }, limit];
  return json(200, body);
};
