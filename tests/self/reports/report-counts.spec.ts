import { expect, test } from '@playwright/test';
import { contradictionIn } from '../../../reports/contradictions.ts';
import { markdownOf } from '../../../reports/markdown.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { nothingSelected } from '../../run/selection-problem.ts';
import { verdictSentence } from '../../verdict/sentence.ts';
import { verdictCounts, verdicts } from '../../verdict/verdicts.ts';
import { json } from '../harness/examples.ts';
import { requirementCount } from '../harness/requirement-count.ts';
import { outputsOf, reportOf, usual } from './report-outputs.ts';

test('a filter that selects nothing ends as an error of a part, and leaves the page of the whole run', async () => {
  const run = await reportOf(usual, {}, [], [nothingSelected]);
  expect(run).toMatchObject({ verdict: 'error', selection: { selected: 0, total: requirementCount } });
  expect(verdictSentence(run)).toMatch(
    /^ERROR of 0 selected requirements of \d+: .*: no test was selected: npm run/,
  );
  // What could not even be read replaces what there was.
  expect((await reportOf(usual, {}, [], ['SyntaxError'])).selection).toBeUndefined();
});

for (const [address, also] of [
  ['getCard/requests', 'the target answered the requests'],
  ['run/target', 'the selected gates pass'],
] as const)
  test(`a run of ${address} alone passes, and says that nothing was judged`, async () => {
    const run = await reportOf(usual, {}, [address]);
    expect(verdictSentence(run)).toBe(
      `PASS of 0 selected requirements of ${requirementCount}: no requirement was selected, so none was judged; ${also}`,
    );
    expect(contradictionIn(run)).toBeUndefined();
    const { selection: _, ...whole } = run;
    expect(contradictionIn(whole)).toContain('come to error');
    expect(contradictionIn({ ...run, verdict: 'fail' })).toContain('come to pass');
  });

test('a gate that errs alone says why', async () => {
  const run = await reportOf(() => ({ blocked: 'the connection was refused' }), {}, ['run/target']);
  expect(verdictSentence(run)).toMatch(
    /: nothing sure can be said of the target: the connection was refused$/,
  );
  expect(run.gates).toMatchObject([{ actual: 'none: the connection was refused' }]);
});

test('requirements are counted as English counts', () => {
  const all = (['violation', 'violation', 'deviation', 'pass', 'pass'] as const).map((verdict) => ({
    verdict,
  }));
  expect(verdictCounts(all)).toEqual(['2 violations', '1 deviation', '2 pass']);
});

test('the rows of the table add up for any verdicts', async () => {
  const run = await reportOf();
  for (const [index, requirement] of run.requirements.entries())
    requirement.verdict = verdicts[index % verdicts.length] ?? 'pass';
  const table = markdownOf(run)
    .split('\n')
    .filter((line) => /^\| \w+ \| \d/.test(line));
  expect(table).toHaveLength(loadContract().operations.length);
  for (const line of table) {
    const [total = 0, ...counts] = line.split('|').slice(2, -1).map(Number);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(total);
  }
});

test('a shape is said to be one, where it could be taken for a value', async () => {
  const run = await reportOf(({ operation }, answer) => {
    if (operation !== 'getCard') return answer;
    const body = JSON.parse(Buffer.from(answer.body).toString());
    body.data.card.expiration_date = '2027-11';
    return json(200, body);
  });
  const { markdown, page } = outputsOf(run);
  for (const text of [markdown, page])
    expect(text).toContain('In a shape, A and a stand for a letter, 0 for');
  expect(markdownOf(await reportOf())).not.toContain('In a shape');
});

test('the page says that nothing needs a look only where the run passes', async () => {
  const run = await reportOf();
  for (const requirement of run.requirements) requirement.verdict = 'pass';
  const nothing = 'Nothing: each requirement passes.';
  expect(outputsOf({ ...run, verdict: 'pass' }).page).toContain(nothing);
  for (const verdict of ['fail', 'error'] as const)
    expect(outputsOf({ ...run, verdict }).page).not.toContain(nothing);
});
