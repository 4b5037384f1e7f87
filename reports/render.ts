import { existsSync } from 'node:fs';
import path from 'node:path';
import { loadContractOrError } from '../schemas/contract/contract.ts';
import { readConfiguration } from '../src/run/target.ts';
import { printError } from '../src/run/terminal.ts';
import { renderAllure } from './allure-report.ts';
import { fillOutput } from './command.ts';
import { readRunOfFolder } from './read-conformance.ts';
import { writeReports } from './write.ts';

/* `npm run render`: writes all reports of the last run again, that of Allure first. */

const { reportsDir, extraLedger } = readConfiguration().target;
// `npm run conformance` passes the exit status of the run. A run that could not begin has already printed the reason.
process.exitCode = Number(process.argv[2] ?? 0);
try {
  if (process.exitCode !== 0 && !existsSync(path.join(reportsDir, 'conformance.json'))) process.exit();
  const run = readRunOfFolder(reportsDir);
  fillOutput('REPORTS_DIR', reportsDir, () => {
    renderAllure(reportsDir, run.startedAt);
    writeReports(loadContractOrError(extraLedger), run, reportsDir);
  });
} catch (error) {
  printError('render', error);
  process.exitCode = 1;
}
