import { parseArgs } from 'node:util';
import { counted } from '../../schemas/counted.ts';
import { fromCaller, shownToCaller } from '../../tests/configuration/caller-folder.ts';
import { print, printError } from '../../tests/run/terminal.ts';
import { ReportError } from '../read-conformance.ts';
import { publish } from './publish.ts';

const usage =
  'usage: npm run site -- --from DIR [--from DIR …] --into DIR   (from: REPORTS_DIR of a run; into: folder of the site)';

/** @throws {ReportError} saying how the command is used. */
function readCommand(): { from: string[]; into: string } {
  const { values } = parseArgs({
    options: { from: { type: 'string', multiple: true }, into: { type: 'string' } },
  });
  const { from = [], into } = values;
  if (from.length === 0 || !into) throw new ReportError(usage);
  return { from: from.map((folder) => fromCaller(folder)), into: fromCaller(into) };
}

try {
  const { from, into } = readCommand();
  const targets = publish(from, into);
  print(`${counted(targets.length, 'target')}: ${shownToCaller(into)}/index.html\n`);
} catch (error) {
  printError('site', error);
  process.exitCode = 2;
}
