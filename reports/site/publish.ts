import { copyFileSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { type Contract, contractOrProblem } from '../../schemas/contract/contract.ts';
import { fileNameOf } from '../../tests/run/previous.ts';
import { writeWhole } from '../../tests/run/whole-file.ts';
import { badgeOf } from '../badge.ts';
import type { Conformance } from '../conformance.ts';
import { markdownOf } from '../markdown.ts';
import { requirementsDue } from '../merge/completeness.ts';
import { fillOutput, writeText } from '../output.ts';
import { contractPage } from '../pages/contract-page.ts';
import { errorPage } from '../pages/error-page.ts';
import { ReportError, readConformance } from '../read-conformance.ts';
import { isFuture, publishedRunOf, readHistory, withRun } from './history.ts';
import { indexPage, type PublishedTarget } from './index-page.ts';

const report = 'allure-report/index.html';
const index = '../index.html';

/**
 * Adds the runs in some folders of reports to a site, and writes its index. What the site shows of other targets stays.
 * @throws {ReportError} when a folder holds no whole run of this contract, or the site something else.
 */
export function publish(folders: string[], site: string): PublishedTarget[] {
  const contract = contractOrProblem();
  const runs = folders.map((folder) => ({ folder, run: readRun(contract, folder) }));
  return fillOutput({ option: '--into', folder: site }, () => {
    for (const { folder, run } of runs) addRun(contract, run, folder, site);
    const targets = readTargets(site);
    writeText(path.join(site, 'index.html'), indexPage(targets));
    return targets;
  });
}

function readRun(contract: Contract | Error, folder: string): Conformance {
  const file = path.join(folder, 'conformance.json');
  if (!existsSync(file))
    throw new ReportError(`there is no conformance.json in ${folder}: give REPORTS_DIR of a run`);
  const run = readConformance(file);
  if (!(contract instanceof Error) && run.contract !== contract.hash)
    throw new ReportError(`${file} was judged by another contract than spec/: judge the target again`);
  const isPart = run.selection || run.shard || (!(contract instanceof Error) && leavesOut(contract, run));
  if (isPart)
    throw new ReportError(`${file} is of a part of the contract: publish a whole run, or merge the shards`);
  // It would be the latest one for good: no later run of the target would replace it.
  if (isFuture(run))
    throw new ReportError(`${file} is of ${run.startedAt}, which is to come: set the clock of its machine`);
  return run;
}

/** Whether a run that came to a verdict lists less than all. Reports of version 1 do not say that they are of a part. */
function leavesOut(contract: Contract, run: Conformance): boolean {
  const listed = new Set(run.requirements.map(({ address }) => address));
  return (
    run.verdict !== 'error' && requirementsDue(contract, [run]).some(({ address }) => !listed.has(address))
  );
}

/** What was recorded is not what the target answers today: it stands beside it. */
const folderOf = ({ target, profile, traffic }: Conformance) =>
  `${fileNameOf({ name: target, profile })}${traffic ? '-recorded-traffic' : ''}`;

/** An older run than the one that is shown joins the history alone. */
function addRun(contract: Contract | Error, run: Conformance, from: string, site: string): void {
  const folder = path.join(site, folderOf(run));
  const history = withRun(readHistory(path.join(folder, 'history.json')), publishedRunOf(run));
  mkdirSync(folder, { recursive: true });
  writeWhole(path.join(folder, 'history.json'), `${JSON.stringify(history, null, 2)}\n`);
  if (history.at(-1)?.startedAt === run.startedAt) writePages(contract, run, from, folder);
}

function writePages(contract: Contract | Error, run: Conformance, from: string, folder: string): void {
  rmSync(path.join(folder, 'allure-report'), { recursive: true, force: true });
  const testReport = copyTestReport(path.join(from, report), path.join(folder, report));
  const write = (name: string, text: string) => writeText(path.join(folder, name), text);
  write('conformance.md', markdownOf(run));
  write('badge.svg', badgeOf(run));
  write(
    'contract.html',
    contract instanceof Error ? errorPage(run, index) : contractPage(contract, run, { testReport, index }),
  );
  writeWhole(path.join(folder, 'conformance.json'), `${JSON.stringify(run, null, 2)}\n`);
}

/** Copies the Allure report of a run, if it has one. A link may lead to a file that nobody means to publish. */
function copyTestReport(from: string, to: string): boolean {
  if (!lstatSync(from, { throwIfNoEntry: false })?.isFile()) return false;
  mkdirSync(path.dirname(to), { recursive: true });
  copyFileSync(from, to);
  return true;
}

/** Every target that a site holds, by name. */
function readTargets(site: string): PublishedTarget[] {
  return readdirSync(site)
    .sort()
    .filter((folder) => existsSync(path.join(site, folder, 'conformance.json')))
    .map((folder) => ({
      folder,
      run: readConformance(path.join(site, folder, 'conformance.json')),
      history: readHistory(path.join(site, folder, 'history.json')),
      testReport: existsSync(path.join(site, folder, report)),
    }));
}
