import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import { startMock } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { derivedReports } from '../../../reports/merge/derived-reports.ts';
import { evaluateStored } from '../../../reports/merge/evaluate-stored.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { readStoredResults } from '../../run/results.ts';
import type { GateResult } from '../../verdict/gates.ts';
import { runCommand } from '../harness/in-process-command.ts';
import { askInProcess } from '../harness/in-process-run.ts';
import { readConformance, targetOf } from '../harness/whole-run.ts';

const total = 2;
const broken = 'getCard/data/card/id';
const names = ['s1', 's2'];

test.beforeAll(async () => {
  const mock = await startMock({ alter: altering('getCard', set('data/card/id', 1)) });
  const env = { ...targetOf(mock.url), UNDECLARED_FIELDS: 'fail', MIN_COVERAGE: '100', USER_IDS: '' };
  for (const [index, name] of names.entries()) {
    const shard = { current: index + 1, total };
    const select = (all: string[]) => all.filter((_, place) => place % total === index);
    await askInProcess({ ...env, REPORTS_DIR: left(name) }, (judge) => judge({ shard, select }), { shard });
  }
  await mock.close();
});

const left = (name: string) =>
  path.join(test.info().project.outputDir, `derived-reports-${test.info().workerIndex}`, name);

/** The shards in folders of this test, each report edited. */
function edited(edit: (report: Conformance) => Conformance): string[] {
  return names.map((name) => {
    const folder = test.info().outputPath(name);
    cpSync(left(name), folder, { recursive: true });
    writeFileSync(path.join(folder, 'conformance.json'), JSON.stringify(edit(reportIn(folder))));
    return folder;
  });
}

const reportIn = (folder: string) => readConformance(folder) as Conformance;

const merge = (folders: string[]) =>
  runCommand('reports/merge.ts', [...folders, '--output', test.info().outputPath('all')]);

test('what a run has left derives to what it has reported, part by part', () => {
  const folders = edited((report) => report);
  const reports = folders.map(reportIn);
  expect(reports.map(({ verdict }) => verdict)).toContain('fail');
  expect(reports.flatMap(({ gates = [] }) => gates.map(({ address }) => address))).toContain('run/coverage');
  expect(derivedReports(loadContract(), folders, reports)).toEqual(reports);
});

test('a verdict that was edited in all places is rejected, of a requirement and of a gate', async () => {
  const asKept = (report: Conformance): Conformance => ({
    ...report,
    verdict: 'pass',
    requirements: report.requirements.map((one) => ({ ...one, verdict: 'pass', exercised: 1 })),
    gates: report.gates?.map((gate) => ({ ...gate, verdict: 'pass' })) ?? [],
    findings: [],
  });
  const says = /^merge: the report in \S+ says something else of (\S+) than the observations beside it: /;
  const { status, stderr } = await merge(edited(asKept));
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(says) });
  const isWithoutBroken = (report: Conformance) =>
    report.requirements.every(({ address }) => address !== broken);
  const { stderr: ofGate } = await merge(
    edited((report) => ({
      ...report,
      verdict: isWithoutBroken(report) ? 'pass' : report.verdict,
      gates: report.gates?.map((gate) => ({ ...gate, verdict: 'pass' })) ?? [],
      findings: report.findings.filter(({ kind }) => kind !== 'coverage'),
    })),
  );
  expect(says.exec(ofGate)?.[1]).toBe('run/coverage');
});

test('what is written beside verdicts is taken from the observations', async () => {
  const { nodes, states } = reportIn(left('s1')).coverage;
  const whole = (share: typeof nodes) => ({ ...share, exercised: share.total, percentage: 100, missing: [] });
  const full = { nodes: whole(nodes), states: whole(states), seen: {} };
  const folders = edited((report) => ({
    ...report,
    coverage: full,
    requirements: report.requirements.map((one) =>
      one.exercised > 0 ? { ...one, exercised: 999_999 } : one,
    ),
  }));
  expect((await merge(folders)).status).toBe(1);
  const merged = reportIn(test.info().outputPath('all'));
  expect(merged.coverage.nodes).toEqual(nodes);
  expect(merged.requirements.filter(({ exercised }) => exercised === 999_999)).toEqual([]);
});

test('observations of which a file is lost are rejected, and no gate passes that rests on one', async () => {
  const [folder = ''] = edited((report) => report);
  const report = reportIn(folder);
  const { behaviour: _, ...results } = readStoredResults(folder);
  const gates = ['run/server-errors', 'run/drift', 'run/record'].map(
    (address) => ({ address }) as GateResult,
  );
  const verdicts = gates.map((gate) =>
    evaluateStored(loadContract(), { ...report, gates: [gate] }, results, []),
  );
  expect(verdicts.map((one) => one.gates.map(({ verdict }) => verdict))).toEqual([
    ['error'],
    ['error'],
    ['error'],
  ]);
  for (const file of ['observed.json', 'requests.json', '001-getCard.json']) {
    const lost = path.join(folder, 'observations', file);
    const text = readFileSync(lost);
    rmSync(lost);
    expect(() => derivedReports(loadContract(), [folder], [report]), file).toThrow(
      `the observations in ${folder} are not of the run whose report stands beside them`,
    );
    writeFileSync(lost, text);
  }
});

test('a report that leaves out what its run has judged, or how that ended, is rejected', () => {
  const folders = edited((report) => report);
  const reports = folders.map(reportIn);
  const derive = (all: Conformance[]) => derivedReports(loadContract(), folders, all);
  const [passed] = reports[0]?.requirements.filter(({ verdict }) => verdict === 'pass') ?? [];
  const address = passed?.address ?? '';
  const note = (lines: string[]) =>
    writeFileSync(path.join(folders[0] ?? '', 'observations', 'used.txt'), `${lines.join('\n')}\n`);
  note(['getCard/requests', 'what a full disk has cut', address]);
  expect(derive(reports)).toEqual(reports);
  const less = reports.map((report) => ({
    ...report,
    shard: { ...report.shard, selected: report.shard?.selected?.filter((one) => one !== address) },
    requirements: report.requirements.filter((one) => one.address !== address),
  }));
  const says = `says something else of ${address} than the observations`;
  expect(() => derive(less as Conformance[])).toThrow(says);
  note([address, `${address} failed`]);
  expect(() => derive(reports)).toThrow(says);
  note([]);
  const asMock = reports.map((report) => ({ ...report, mock: true }));
  expect(() => derive(asMock)).toThrow('are not of the run whose report stands beside them');
});

test('shards of which only the reports were kept are merged, and the report says so', async () => {
  const folders = edited((report) => report);
  for (const folder of folders) rmSync(path.join(folder, 'observations'), { recursive: true });
  expect((await merge(folders)).status).toBe(1);
  const note =
    'shard 2: the folder s2 holds no observations to derive its report from: it was merged as it stands';
  expect(reportIn(test.info().outputPath('all')).notes).toContainEqual(expect.stringContaining(note));
  const observations = path.join(folders[0] ?? '', 'observations');
  mkdirSync(observations);
  expect((await merge(folders)).status).toBe(1);
  rmSync(observations, { recursive: true });
  writeFileSync(observations, '');
  const stderr = `merge: ${observations} is no folder: merge needs the whole of REPORTS_DIR\n`;
  expect(await merge(folders)).toMatchObject({ status: 2, stderr });
});
