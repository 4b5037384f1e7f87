import { contractOrProblem } from '../schemas/contract/contract.ts';
import { thrown } from '../src/client/signing.ts';
import { exportDotenv, readConfiguration } from '../src/run/target.ts';
import { print, printError, sentenceOf } from '../src/run/terminal.ts';
import { examine, linesOf } from './examine.ts';

/* `npm run doctor`: says in one line each what is configured, whether the target answers, and what is wrong. */

const configuration = readConfiguration();
// An AUTH_MODULE may end this process, or throw where nobody can catch it.
const endedEarly = (code: number) => {
  if (code !== 0) return;
  process.exitCode = 1;
  printError('doctor', 'the process was ended early: AUTH_MODULE must not end the process');
};
process.on('exit', endedEarly);
// Its message is not shown, since it may hold a secret.
process.on('uncaughtException', (error) => {
  printError('doctor', `${thrown(error)} where nobody could catch it`);
  process.exit(1);
});
try {
  // An AUTH_MODULE finds what it needs in the environment, as in a run.
  exportDotenv();
  const checks = await examine(configuration, contractOrProblem(configuration.target.callersLedger));
  print(linesOf(checks));
  process.exitCode = checks.some(({ state }) => state === 'wrong') ? 1 : 0;
} catch (error) {
  printError('doctor', sentenceOf(error, configuration.target));
  process.exitCode = 1;
}
process.off('exit', endedEarly);
// Playwright's client never closes a connection to a proxy that does not respond.
const { transport, token } = configuration.target;
if (transport.proxy || token?.proxy) process.exit();
