import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Contract, loadContract } from '../schemas/contract/contract.ts';
import { formatCount } from '../schemas/counted.ts';
import { adaptTextsToCallerFolder, formatCallerPath, resolveCallerPath } from '../src/run/caller-folder.ts';
import { readConfiguration } from '../src/run/target.ts';
import { print } from '../src/run/terminal.ts';
import { formatVerdictSentence } from '../src/verdict/sentence.ts';
import { hasJudged } from '../src/verdict/verdicts.ts';
import { fillOutput, runCommand } from './command.ts';
import type { Conformance } from './conformance.ts';
import { type LastSeen, mergeLastSeen } from './last-seen.ts';
import { describeUnchecked, findLatestJudged, type PublishedRun } from './pages/history.ts';
import { type PublishedTarget, renderSitePage } from './pages/site-page.ts';
import { createFileName, readJsonFile, readRunOfFolder, writeJson } from './read-conformance.ts';
import { writePages, writeText } from './write.ts';

/* `npm run site`: adds runs to a site, a page for each target with its history. Targets without a new run stay as they are. */

/** Maximum number of runs in the history of a target. With nightly runs, the history covers two months. */
const maxRuns = 60;

const allureReportFile = 'allure-report/index.html';

function readPublishableRun(contract: Contract, folder: string): Conformance {
  const run = readRunOfFolder(folder);
  // Such a run failed before the first request, for example because of a wrong setting. A run with `traffic` judged recordings.
  if (run.requests === 0 && !run.traffic)
    throw new Error(`${folder} holds a run that sent no request: ${formatVerdictSentence(run)}`);
  if (run.contract !== contract.hash)
    throw new Error(`${folder} was judged by another contract than spec/: judge the target again`);
  if (run.selection || run.shard)
    throw new Error(`${folder} covers only a part of the contract: publish a whole run, or merge the shards`);
  return run;
}

function addRun(contract: Contract, run: Conformance, reportsDir: string, { site, link }: Destination): void {
  const folder = path.join(site, createFileName(run));
  const addedRun = createPublishedRun(run, link);
  const history = appendRun(readHistory(folder), addedRun);
  const lastSeen = mergeLastSeen(readLastSeen(folder), run);
  mkdirSync(folder, { recursive: true });
  writeJson(history, path.join(folder, 'history.json'));
  writeJson(lastSeen, path.join(folder, 'last-seen.json'));
  const isRunToShow = findLatestJudged(history) === addedRun;
  if (isRunToShow) {
    replaceTestReport(reportsDir, folder);
    writeJson(run, path.join(folder, 'conformance.json'));
  }
  writeTarget(contract, folder, history);
}

function appendRun(history: PublishedRun[], addedRun: PublishedRun): PublishedRun[] {
  // The same run may be published again, for example with another link.
  const otherRuns = history.filter(({ startedAt }) => startedAt !== addedRun.startedAt);
  const getTime = ({ startedAt }: PublishedRun) => Date.parse(startedAt);
  const sortedRuns = [...otherRuns, addedRun].sort((run, otherRun) => getTime(run) - getTime(otherRun));
  return sortedRuns.slice(-maxRuns);
}

type Destination = Omit<ReturnType<typeof readArguments>, 'folders'>;

function createPublishedRun(run: Conformance, link: string | undefined): PublishedRun {
  const unjudgedSentence = hasJudged(run.requirements) ? undefined : formatVerdictSentence(run);
  return {
    startedAt: run.startedAt,
    verdict: run.verdict,
    ...(link ? { link } : {}),
    ...(unjudgedSentence ? { unjudged: unjudgedSentence } : {}),
  };
}

function writeTarget(contract: Contract, folder: string, history: PublishedRun[]): void {
  const run = readShownRun(folder);
  // The page shows the requirements of `contract`, to which results by another contract would not belong.
  if (run?.contract !== contract.hash) return;
  const links = { hasTestReport: existsSync(path.join(folder, allureReportFile)), index: '../index.html' };
  const earlierData = { lastSeen: readLastSeen(folder), unchecked: describeUnchecked(history) };
  writePages(contract, { run, pageRun: run }, folder, { ...links, ...earlierData });
}

function readLastSeen(folder: string): LastSeen | undefined {
  const file = path.join(folder, 'last-seen.json');
  return existsSync(file) ? (readJsonFile(file) as LastSeen) : undefined;
}

function readHistory(folder: string): PublishedRun[] {
  const file = path.join(folder, 'history.json');
  return existsSync(file) ? (readJsonFile(file) as PublishedRun[]) : [];
}

function replaceTestReport(reportsDir: string, targetFolder: string): void {
  rmSync(path.join(targetFolder, 'allure-report'), { recursive: true, force: true });
  if (!existsSync(path.join(reportsDir, allureReportFile))) return;
  mkdirSync(path.join(targetFolder, 'allure-report'));
  copyFileSync(path.join(reportsDir, allureReportFile), path.join(targetFolder, allureReportFile));
}

function readTargets(site: string): PublishedTarget[] {
  const targets: PublishedTarget[] = [];
  for (const folder of readdirSync(site)) {
    const targetFolder = path.join(site, folder);
    const run = readShownRun(targetFolder);
    if (!run) continue;
    const hasTestReport = existsSync(path.join(targetFolder, allureReportFile));
    targets.push({ folder, run, history: readHistory(targetFolder), hasTestReport });
  }
  return targets;
}

function readShownRun(folder: string): Conformance | undefined {
  if (!existsSync(path.join(folder, 'conformance.json'))) return undefined;
  try {
    return readRunOfFolder(folder);
  } catch (error) {
    // The other targets are published nevertheless.
    print(`${(error as Error).message}\n`);
    return undefined;
  }
}

const usage =
  'usage: npm run site -- --from DIR [--from DIR …] --into DIR [--link URL]   (from: REPORTS_DIR of a run; into: folder of the site; link: address of the run in the pipeline)';

function readArguments() {
  const text = { type: 'string' } as const;
  const options = { from: { ...text, multiple: true }, into: text, link: text } as const;
  const { from = [], into, link } = parseArgs({ options }).values;
  if (from.length === 0 || !into) throw new Error(usage);
  if (link && !/^https?:\/\//.test(link)) throw new Error('--link must begin with https:// or http://');
  return { folders: from.map((folder) => resolveCallerPath(folder)), site: resolveCallerPath(into), link };
}

await runCommand('site', usage, () => {
  const { folders, site, link } = readArguments();
  const contract = loadContract(readConfiguration().target.extraLedger);
  const runs = folders.map((folder) => ({ folder, run: readPublishableRun(contract, folder) }));
  const targets = fillOutput('--into', site, () => {
    for (const { folder, run } of runs) addRun(contract, run, folder, { site, link });
    const publishedTargets = readTargets(site);
    writeText(path.join(site, 'index.html'), renderSitePage(adaptTextsToCallerFolder(publishedTargets)));
    return publishedTargets;
  });
  print(`${formatCount(targets.length, 'target')}: ${formatCallerPath(site)}/index.html\n`);
});
