import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { createPopulation } from '../../../mock/population/population.ts';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { mergeShards } from '../../../reports/merge/merge-shards.ts';
import { withSweepsMerged } from '../../../reports/merge/merge-sweeps.ts';
import { readShardResults } from '../../../reports/merge/shard-results.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { askInProcess, runInProcess } from '../harness/in-process-run.ts';
import { targetOf, type WholeRun } from '../harness/whole-run.ts';
import { listAll } from '../mock/population-pages.ts';

const identifiers = listAll(createPopulation({ customers: 60 })).map(({ uuid }) => uuid);
const unknown = (place: number) => `99999999-0000-4000-8000-${String(place).padStart(12, '0')}`;
const total = 2;
const address = 'getCustomer/parameters/id';

/** What a run, or shards of it, say of the identifiers of a file. */
const said = ({ requirements, sweeps }: Conformance) => {
  const { verdict, affected, reason, swept } = requirements.find((one) => one.address === address) ?? {};
  return { verdict, affected, reason, swept, judged: sweeps?.[0]?.judged };
};

for (const rejects of [(place: number) => place % 7 === 3, (place: number) => place < 45] as const)
  test(`shards of a file count its rejected identifiers as one run does (${rejects})`, async () => {
    const mock = await startMock({ population: { customers: 60 } });
    const file = test.info().outputPath('identifiers.txt');
    writeFileSync(file, identifiers.map((one, place) => (rejects(place) ? unknown(place) : one)).join('\n'));
    const below = (name: string) => test.info().outputPath(name);
    const env = { ...targetOf(mock.url), CUSTOMER_IDS: '', CUSTOMER_IDS_FILE: file };
    const whole = await runInProcess({ ...env, REPORTS_DIR: below('whole') });
    const shards: WholeRun[] = [];
    for (let current = 1; current <= total; current += 1) {
      const shard = { current, total };
      const own = { ...env, REPORTS_DIR: below(`s${current}`) };
      shards.push(
        await askInProcess(
          own,
          (judge) =>
            judge({ select: (all) => all.filter((_, index) => index % total === current - 1), shard }),
          { shard },
        ),
      );
    }
    await mock.close();
    const reports = shards.map(({ conformance }) => conformance as Conformance);
    const contract = loadContract();
    const left = readShardResults(
      contract,
      shards.map(({ reportsDir }) => reportsDir),
      reports,
    );
    const merged = await withSweepsMerged(contract, mergeShards(contract, reports), left, reports);
    expect(said(merged)).toEqual(said(whole.conformance as Conformance));
  });
