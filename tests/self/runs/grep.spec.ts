import { expect, test } from '@playwright/test';
import { nothingSelected } from '../../../src/verdict/verdict.ts';
import { runAgainst } from '../harness/whole-run.ts';

test('a run whose --grep selects nothing sends nothing, and says why, also in a report that is none of the whole', async () => {
  const run = await runAgainst({}, {}, ['--reporter=line,./reports/reporter.ts', '--grep', '@getCard/kode']);
  expect(run).toMatchObject({ code: 1, requests: [] });
  expect(run.output).toContain(nothingSelected);
  const selection = { selected: 0 };
  expect(run.conformance).toMatchObject({ verdict: 'error', notes: [nothingSelected], selection });
  expect(run.output).not.toMatch(/^ {4}at /m);
});
