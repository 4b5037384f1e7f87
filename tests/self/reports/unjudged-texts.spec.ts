import { expect, test } from '@playwright/test';
import { markdownOf } from '../../../reports/markdown.ts';
import { contractPage } from '../../../reports/pages/contract-page.ts';
import { summaryOf } from '../../../reports/summary.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { verdictSentence } from '../../verdict/sentence.ts';
import { json, of, type Reply, rejecting, replying } from '../harness/examples.ts';
import { outputsOf, reportOf } from './report-outputs.ts';

test('what is blocked is not said to be tolerated, and its reason stands once', async () => {
  const run = await reportOf(rejecting(401));
  const page = contractPage(loadContract(), run);
  expect(page).not.toContain('Tolerated: ');
  const blocked = run.requirements.filter(({ verdict }) => verdict === 'blocked');
  expect(blocked.length).toBeGreaterThan(100);
  for (const { address, reason = '' } of blocked) {
    const row = page.slice(page.indexOf(`<tr role="row" id="${address}"`)).split('</tr>')[0];
    expect(row?.split(reason.slice(0, 30)), address).toHaveLength(2);
  }
});

test('a pass of a part says how much was exercised', async () => {
  const empty = replying(json(200, { code: 200, data: { customers: [] } }), of('listCustomers'));
  const run = await reportOf(empty, { identifiers: { CARD_IDS: [], CUSTOMER_IDS: [], USER_IDS: [] } });
  const open = run.requirements.filter(({ verdict }) => verdict === 'not exercised').length;
  const total = run.requirements.length;
  expect(open).toBeGreaterThan(0);
  expect(verdictSentence(run)).toBe(
    `PASS: nothing is violated; ${total - open} of ${total} requirements were exercised`,
  );
  for (const [name, text] of Object.entries(outputsOf(run))) {
    expect(text, name).toContain(`${total - open} of ${total} requirements were exercised`);
    expect(text, name).not.toContain('keeps the contract');
  }
});

test('the page says once that an answer is unknown', async () => {
  const run = await reportOf();
  const unknown = { answer: 'unknown', confidence: 'unknown' } as const;
  run.observed = loadContract().questions.map((one) => ({
    ...one,
    asked: 'It is asked.',
    evidence: [],
    ...unknown,
  }));
  const page = contractPage(loadContract(), run);
  expect(page).toContain('<b>unknown</b>');
  expect(page.replace(/<[^>]*>/g, '')).not.toMatch(/unknown\s+unknown/);
});

/** Each card is answered with HTTP 201. */
const created: Reply = ({ operation }, answer) =>
  operation === 'getCard' ? { ...answer, status: 201 } : answer;

test('what is broken comes before the notes, by its sentence and its request', async () => {
  const run = await reportOf(created, { identifiers: { USER_IDS: [] } });
  const { statement } = run.requirements.find(({ address }) => address === 'getCard/http/status') ?? {};
  for (const [name, text] of [
    ['page', contractPage(loadContract(), run)],
    ['markdown', markdownOf(run)],
  ] as const) {
    const order = [statement ?? '', 'USER_IDS is not set'].map((one) => text.indexOf(one));
    expect(order, name).toEqual([...order].sort((one, other) => one - other));
    expect(order, name).not.toContain(-1);
    expect(text, name).toMatch(/; first (<code>|`)GET /);
  }
  expect(summaryOf(run, 'reports')).toMatch(/; first GET \S+: expected HTTP 200; got HTTP 201/);
});
