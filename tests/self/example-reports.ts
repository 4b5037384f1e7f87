import { buildReport } from '../../reports/build-report.ts';
import type { Conformance } from '../../reports/conformance.ts';
import { exampleTarget, json, type Reply, resultsOf } from './examples.ts';

const gates = ['target', 'coverage', 'ledger', 'server-errors', 'drift'].map((name) => `run/${name}`);
/** A provider that keeps the contract. */
export const usual: Reply = (_, answer) => answer;

/** The report of a run on a provider, of all requirements or of some. */
export async function reportOf(
  reply: Reply = usual,
  settings = {},
  addresses?: string[],
): Promise<Conformance> {
  const results = await resultsOf(reply, settings);
  const all = [...gates, ...results.standing.map(({ address }) => address)];
  const input = { target: exampleTarget(settings), results, addresses: addresses ?? all };
  const rest = { failed: new Set<string>(), problems: [], startedAt: new Date(0) };
  return buildReport({ ...input, ...rest }, new Date());
}

/** Two of three limits of each card have a wrong amount, of another kind each. */
export const broken: Reply = ({ operation }, answer) => {
  if (operation !== 'getCard') return answer;
  const body = JSON.parse(Buffer.from(answer.body).toString());
  const [limit] = body.data.card.limits;
  body.data.card.limits = [{ ...limit, limit_amount: 7 }, { ...limit, limit_amount: null }, limit];
  return json(200, body);
};
