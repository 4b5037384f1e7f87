import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { variants } from '../../../mock/variants/index.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import { resultOf } from '../../../reports/conformance.ts';
import { evaluateStored } from '../../../reports/merge/evaluate-stored.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { type Run, readStoredResults } from '../../run/results.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';

const settings: Record<string, string>[] = [
  {
    MIN_COVERAGE: '100',
    FAIL_ON_SERVER_ERROR: '1',
    PROBES: 'on',
    FAIL_ON_DRIFT: '1',
    UNDECLARED_FIELDS: 'fail',
  },
  { PROFILE: 'documented', RECORD: '1' },
];

const deviating = variants.flatMap(({ name, alter }) => (alter && /p_user_id, and/.test(name) ? alter : []));
const alter = inTurn(...deviating, altering('getCard', set('data/card/nickname', 'x')));

for (const env of settings)
  test(`stored results are judged as their run was configured: ${Object.keys(env).join(', ')}`, async () => {
    const RECORD_FILE = test.info().outputPath('recorded.json');
    writeFileSync(RECORD_FILE, '{}');
    const { conformance: report, reportsDir } = await runInProcessAgainst({ alter }, { ...env, RECORD_FILE });
    if (!report) throw new Error('the run has left no report');
    const { verdict, gates = [] } = report;
    expect(gates.map(({ address }) => address)).toEqual(expect.arrayContaining(gatesOf(env)));
    const own = report.requirements.map(({ since: _, ...one }) => one);
    const results = readStoredResults(reportsDir);
    const { undeclaredFields: _, ...earlier } = results.run as Run;
    for (const run of [results.run as Run, earlier]) {
      const judged = evaluateStored(loadContract(), report, results, [run]);
      expect(judged).toMatchObject({ verdict, gates });
      expect(judged.requirements.map(resultOf)).toEqual(own);
    }
    expect(own.map((one) => one.verdict)).toContain('violation');
  });

/** Gates by the variables that set them. */
function gatesOf(env: Record<string, string>): string[] {
  const gates: Record<string, string> = {
    MIN_COVERAGE: 'run/coverage',
    FAIL_ON_SERVER_ERROR: 'run/server-errors',
    FAIL_ON_DRIFT: 'run/drift',
    RECORD: 'run/record',
  };
  return Object.keys(env).flatMap((name) => gates[name] ?? []);
}
