import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Contract, contractOrProblem } from '../schemas/contract/contract.ts';
import { counted } from '../schemas/counted.ts';
import { writeWhole } from '../src/client/files.ts';
import { fromCaller, shownToCaller } from '../src/run/caller-folder.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import { fillOutput, runCommand } from './command.ts';
import { type Conformance, withVerdict } from './conformance.ts';
import { markdownOf } from './markdown.ts';
import { contractPage, errorPage } from './pages/contract-page.ts';
import { type PublishedRun, type PublishedTarget, sitePage } from './pages/site-page.ts';
import { fileNameOf, readConformance, readJson } from './read-conformance.ts';
import { badgeOf, writeText } from './write.ts';

/* `npm run site`: adds the runs in some folders of reports to a site. What it shows of other targets stays. */

/** How many runs of a target a site keeps: two months of nights. */
const maxRuns = 60;

const contract = contractOrProblem(readConfiguration().target.callersLedger);
const report = 'allure-report/index.html';

/** The whole run of this contract that a folder of reports holds. @throws an error for people when it holds none. */
function readRun(folder: string): Conformance {
  const file = path.join(folder, 'conformance.json');
  if (!existsSync(file))
    throw new Error(`there is no conformance.json in ${folder}: give REPORTS_DIR of a run`);
  const run = readConformance(file);
  if (!(contract instanceof Error) && run.contract !== contract.hash)
    throw new Error(`${file} was judged by another contract than spec/: judge the target again`);
  if (run.selection || run.shard)
    throw new Error(`${file} is of a part of the contract: publish a whole run, or merge the shards`);
  return run;
}

/** A run that is published again is in the history once; an older one than the one that is shown joins it alone. */
function addRun(run: Conformance, from: string, site: string): void {
  // What was recorded is not what the target answers today: it stands beside it.
  const folder = path.join(site, `${fileNameOf(run)}${run.traffic ? '-recorded-traffic' : ''}`);
  const { startedAt, verdict, coverage } = run;
  const violations = withVerdict(run, 'violation').length;
  const unlikePass = run.requirements.filter((one) => one.verdict !== 'pass');
  const own: PublishedRun = {
    ...{ startedAt, verdict, violations, suite: run.suite, contract: run.contract },
    ...(run.ledger && { ledger: run.ledger }),
    ...(run.configuration && { configuration: run.configuration }),
    coverage: coverage.nodes.percentage,
    verdicts: Object.fromEntries(unlikePass.map((one) => [one.address, one.verdict])),
  };
  const history = [...readHistory(folder).filter((one) => one.startedAt !== startedAt), own]
    .sort((one, other) => Date.parse(one.startedAt) - Date.parse(other.startedAt))
    .slice(-maxRuns);
  mkdirSync(folder, { recursive: true });
  writeWhole(path.join(folder, 'history.json'), `${JSON.stringify(history, null, 2)}\n`);
  if (history.at(-1) === own) writePages(contract, run, from, folder);
}

function readHistory(folder: string): PublishedRun[] {
  const file = path.join(folder, 'history.json');
  return existsSync(file) ? (readJson(file) as PublishedRun[]) : [];
}

function writePages(contract: Contract | Error, run: Conformance, from: string, folder: string): void {
  const write = (name: string, text: string) => writeText(path.join(folder, name), text);
  const links = { testReport: copyTestReport(from, folder), index: '../index.html' };
  const isReadable = !(contract instanceof Error);
  write('conformance.md', markdownOf(run));
  write('badge.svg', badgeOf(run));
  write('contract.html', isReadable ? contractPage(contract, run, links) : errorPage(run, links.index));
  writeWhole(path.join(folder, 'conformance.json'), `${JSON.stringify(run, null, 2)}\n`);
}

/** Copies the Allure report of a run, if it has one. */
function copyTestReport(from: string, to: string): boolean {
  rmSync(path.join(to, 'allure-report'), { recursive: true, force: true });
  if (!existsSync(path.join(from, report))) return false;
  mkdirSync(path.join(to, 'allure-report'));
  copyFileSync(path.join(from, report), path.join(to, report));
  return true;
}

/** Every target that a site holds, by name; one that another version of this suite has judged comes back when it is judged again. */
const readTargets = (site: string): PublishedTarget[] =>
  readdirSync(site)
    .sort()
    .flatMap((folder) => {
      const run = lastRun(path.join(site, folder));
      const testReport = existsSync(path.join(site, folder, report));
      return run ? [{ folder, run, history: readHistory(path.join(site, folder)), testReport }] : [];
    });

function lastRun(folder: string): Conformance | undefined {
  const file = path.join(folder, 'conformance.json');
  if (!existsSync(file)) return undefined;
  try {
    return readConformance(file);
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
