import { contractOrProblem } from '../schemas/contract/contract.ts';
import { exportDotenv, readConfiguration } from '../tests/configuration/target.ts';
import { sentenceOf } from '../tests/run/plain-error.ts';
import { print, printError } from '../tests/run/terminal.ts';
import { linesOf } from './doctor/check.ts';
import { examine } from './doctor/examine.ts';

/* `npm run doctor`: says in one line each what is configured, whether the target answers, and what is wrong. */

const configuration = readConfiguration();
try {
  // An AUTH_MODULE finds what it needs in the environment, as in a run.
  exportDotenv();
  const checks = await examine(configuration, contractOrProblem());
  print(linesOf(checks));
  process.exitCode = checks.some(({ state }) => state === 'wrong') ? 1 : 0;
} catch (error) {
  printError('doctor', sentenceOf(error, configuration.target));
  process.exitCode = 1;
}
