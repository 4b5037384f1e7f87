import { parseArgs } from 'node:util';
import { runCommand } from '../reports/command.ts';
import { loadContractOrError } from '../schemas/contract/contract.ts';
import { describeThrown } from '../src/client/signing.ts';
import { exportDotenv, readConfiguration } from '../src/run/target.ts';
import { formatError, print, printError } from '../src/run/terminal.ts';
import { examine, formatChecks } from './examine.ts';

/* `npm run doctor`: checks configuration, contract and target, and prints one line for each check. */

const help = 'usage: npm run doctor   checks configuration, contract and target; usually sends one request';

await runCommand('doctor', help, async () => {
  parseArgs();
  const configuration = readConfiguration();
  // An AUTH_MODULE may end this process, even with status 0. At its normal end, this command has removed the listener.
  const reportUnexpectedExit = (code: number) => {
    // Any status other than 0 makes the command fail anyway.
    if (code !== 0) return;
    process.exitCode = 1;
    printError('doctor', 'the process was ended early: AUTH_MODULE must not end the process');
  };
  process.on('exit', reportUnexpectedExit);
  // An AUTH_MODULE may also throw outside any `try`. The message of the error is not shown, since it may hold a secret.
  process.on('uncaughtException', (error) => {
    printError('doctor', `${describeThrown(error)} was thrown and not caught`);
    process.exit(1);
  });
  try {
    // An AUTH_MODULE reads its settings from the environment, as in a run.
    exportDotenv();
    const checks = await examine(configuration, loadContractOrError(configuration.target.extraLedger));
    print(formatChecks(checks));
    process.exitCode = checks.some(({ state }) => state === 'wrong') ? 1 : 0;
  } catch (error) {
    printError('doctor', formatError(error, configuration.target));
    process.exitCode = 1;
  }
  process.off('exit', reportUnexpectedExit);
  // Playwright's client never closes a connection to a proxy that does not respond.
  const { transport, token } = configuration.target;
  if (transport.proxy || token?.proxy) process.exit();
});
