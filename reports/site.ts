import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { contractOrProblem } from '../schemas/contract/contract.ts';
import { counted } from '../schemas/counted.ts';
import { pick } from '../schemas/json.ts';
import { fromCaller, shownToCaller } from '../src/run/caller-folder.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import { fillOutput, runCommand } from './command.ts';
import type { Conformance } from './conformance.ts';
import { type PublishedRun, type PublishedTarget, sitePage } from './pages/site-page.ts';
import { fileNameOf, readJson, readRunIn, writeData } from './read-conformance.ts';
import { writePages, writeText } from './write.ts';

/* `npm run site`: adds the runs in some folders of reports to a site. What it shows of other targets stays. */

/** How many runs of a target a site keeps: two months of nights. */
const maxRuns = 60;

const contract = contractOrProblem(readConfiguration().target.callersLedger);
const report = 'allure-report/index.html';

/** The whole run of this contract that a folder of reports holds. @throws an error for people when it holds none. */
function readRun(folder: string): Conformance {
  const run = readRunIn(folder);
  if (!(contract instanceof Error) && run.contract !== contract.hash)
    throw new Error(`${folder} was judged by another contract than spec/: judge the target again`);
  if (run.selection || run.shard)
    throw new Error(`${folder} is of a part of the contract: publish a whole run, or merge the shards`);
  return run;
}

/** A run that is published again is in the history once; an older one than the one that is shown joins it alone. */
function addRun(run: Conformance, from: string, site: string): void {
  // What was recorded is not what the target answers today: it stands beside it.
  const folder = path.join(site, `${fileNameOf(run)}${run.traffic ? '-recorded-traffic' : ''}`);
  const { startedAt } = run;
  const unlikePass = run.requirements.filter((one) => one.verdict !== 'pass');
  const own: PublishedRun = {
    ...pick(run, ['startedAt', 'verdict', 'suite', 'contract', 'ledger', 'configuration']),
    verdicts: Object.fromEntries(unlikePass.map((one) => [one.address, one.verdict])),
  };
  const history = [...readHistory(folder).filter((one) => one.startedAt !== startedAt), own]
    .sort((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
    .slice(-maxRuns);
  mkdirSync(folder, { recursive: true });
  writeData(history, path.join(folder, 'history.json'));
  if (history.at(-1) !== own) return;
  const links = { testReport: copyTestReport(from, folder), index: '../index.html' };
  writePages(contract, run, folder, run, links);
  writeData(run, path.join(folder, 'conformance.json'));
}

function readHistory(folder: string): PublishedRun[] {
  const file = path.join(folder, 'history.json');
  return existsSync(file) ? (readJson(file) as PublishedRun[]) : [];
}

/** Copies the Allure report of a run, if it has one. */
function copyTestReport(from: string, to: string): boolean {
  rmSync(path.join(to, 'allure-report'), { recursive: true, force: true });
  if (!existsSync(path.join(from, report))) return false;
  mkdirSync(path.join(to, 'allure-report'));
  copyFileSync(path.join(from, report), path.join(to, report));
  return true;
}

/** Every target that a site holds, by name, as folders are read; one that another version of this suite has judged comes back when it is judged again. */
const readTargets = (site: string): PublishedTarget[] =>
  readdirSync(site).flatMap((folder) => {
    const run = lastRun(path.join(site, folder));
    const testReport = existsSync(path.join(site, folder, report));
    return run ? [{ folder, run, history: readHistory(path.join(site, folder)), testReport }] : [];
  });

function lastRun(folder: string): Conformance | undefined {
  if (!existsSync(path.join(folder, 'conformance.json'))) return undefined;
  try {
    return readRunIn(folder);
  } catch (error) {
    print(`${(error as Error).message}\n`);
    return undefined;
  }
}

const usage =
  'usage: npm run site -- --from DIR [--from DIR …] --into DIR   (from: REPORTS_DIR of a run; into: folder of the site)';

await runCommand('site', usage, () => {
  const options = { from: { type: 'string', multiple: true }, into: { type: 'string' } } as const;
  const { from = [], into } = parseArgs({ options }).values;
  if (from.length === 0 || !into) throw new Error(usage);
  const site = fromCaller(into);
  const runs = from.map((folder) => ({ folder: fromCaller(folder), run: readRun(fromCaller(folder)) }));
  const targets = fillOutput('--into', site, () => {
    for (const { folder, run } of runs) addRun(run, folder, site);
    const shown = readTargets(site);
    writeText(path.join(site, 'index.html'), sitePage(shown));
    return shown;
  });
  print(`${counted(targets.length, 'target')}: ${shownToCaller(site)}/index.html\n`);
});
