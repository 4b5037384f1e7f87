import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type ExtraLedger, loadContractOrError } from '../schemas/contract/contract.ts';
import { readConfiguration } from '../src/run/target.ts';
import { printError } from '../src/run/terminal.ts';
import { renderAllure } from './allure-report.ts';
import { fillOutput, runCommand } from './command.ts';
import { readRunOfFolder } from './read-conformance.ts';
import { writeReports } from './write.ts';

/* `npm run render`: writes all reports of the last run again, that of Allure first. */

const help = 'usage: npm run render   writes all reports of the last run in REPORTS_DIR again';

await runCommand('render', help, () => {
  const { positionals } = parseArgs({ allowPositionals: true });
  // `npm run conformance` passes the exit status of the run.
  const [runStatus = '0'] = positionals;
  if (!/^\d+$/.test(runStatus)) throw new Error(`the command has no arguments\n${help}`);
  process.exitCode = Number(runStatus);
  const { reportsDir, extraLedger } = readConfiguration().target;
  // A run that could not begin has already printed the reason.
  if (process.exitCode !== 0 && !existsSync(path.join(reportsDir, 'conformance.json'))) return;
  try {
    renderLastRun(reportsDir, extraLedger);
  } catch (error) {
    printError('render', error);
    process.exitCode = 1;
  }
});

function renderLastRun(reportsDir: string, extraLedger: ExtraLedger | undefined): void {
  const run = readRunOfFolder(reportsDir);
  fillOutput('REPORTS_DIR', reportsDir, () => {
    const contract = loadContractOrError(extraLedger);
    // Without a contract, `writeReports` would write the page "The run could not begin", which is wrong for a run with results.
    const hasJudged = run.requirements.length > 0;
    if (contract instanceof Error && hasJudged) throw contract;
    renderAllure(reportsDir, run.startedAt);
    writeReports(contract, run, reportsDir);
  });
}
