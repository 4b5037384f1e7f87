import { loadContract } from '../schemas/contract/contract.ts';
import { readConfiguration } from '../tests/configuration/target.ts';
import { printError } from '../tests/run/terminal.ts';
import { brokenSentence, isNoSource } from '../tests/traffic/broken-text.ts';
import { readTraffic } from '../tests/traffic/read-traffic.ts';
import { sourceFromCaller } from '../tests/traffic/source-name.ts';
import { expandSources } from '../tests/traffic/sources.ts';
import { CommandError } from './command-error.ts';
import { IdentifierCover } from './identifiers/identifier-cover.ts';
import { holdsNothing, UnreadSources } from './unread-sources.ts';

/*
 * `npm run identifiers --silent -- session.har`: identifiers of recorded traffic, as the variables of a run that asks.
 * They are written to standard output, and nowhere else; messages hold none.
 */

async function identifiers(sources: string[]): Promise<void> {
  if (sources.length === 0)
    throw new CommandError('name the files to read: npm run identifiers -- session.har');
  const contract = loadContract();
  const cover = new IdentifierCover(contract, readConfiguration().target.baseUrl);
  const { findRoute } = cover;
  const files = await expandSources(sources);
  const unread = new UnreadSources(files);
  for await (const entry of readTraffic(files, { findRoute })) {
    unread.take(entry);
    if (entry.kind === 'exchange') cover.take(entry);
    if (entry.kind !== 'broken') continue;
    const used = isNoSource(entry.reason) ? '' : '; what can be read is used';
    tell(`${entry.source}: ${brokenSentence(entry)}${used}`);
    process.exitCode = 1;
  }
  for (const { file } of unread.list().filter(({ reason }) => reason === holdsNothing)) {
    tell(`${file}: ${holdsNothing}`);
    process.exitCode = 1;
  }
  if (unread.list().length < files.length) writeVariables(cover);
}

function writeVariables(cover: IdentifierCover): void {
  for (const [variable, chosen] of cover.chosen()) {
    if (chosen.length > 0) process.stdout.write(`${variable}=${chosen.join(',')}\n`);
    else
      tell(
        `${variable}: ${cover.isUnwritable(variable) ? unwritable : 'no lookup was recorded that found something'}`,
      );
  }
  if (cover.unwritable > 0)
    tell(`${cover.unwritable} lookups have identifiers that a variable cannot hold; they are left out`);
}

const unwritable = 'each lookup that found something has an identifier that a variable cannot hold';

function tell(error: unknown): void {
  printError('identifiers', error);
}

try {
  await identifiers(process.argv.slice(2).map(sourceFromCaller));
} catch (error) {
  tell(error);
  process.exitCode = 2;
}
