import { runCommand } from '../reports/command.ts';
import { loadContract, type Operation } from '../schemas/contract/contract.ts';
import { judge } from '../schemas/judge/judge.ts';
import { sourceFromCaller } from '../src/run/caller-folder.ts';
import { readConfiguration } from '../src/run/target.ts';
import { printError } from '../src/run/terminal.ts';
import { leftOpen } from '../src/traffic/exchanges.ts';
import { readTraffic } from '../src/traffic/read-traffic.ts';
import type { BrokenSource, RecordedExchange } from '../src/traffic/recorded.ts';
import { describeBroken, isMissingSource } from '../src/traffic/sources.ts';

/*
 * `npm run identifiers --silent -- session.har`: identifiers of recorded traffic, as the variables of a run that asks: those that
 * first show what the lookups have shown. They are written to standard output, and nowhere else; messages hold none.
 */

const help = `usage: npm run identifiers --silent -- FILE…   (FILE: recorded traffic)
Prints identifiers of recorded traffic, as the variables of a run that asks.`;

/** What a variable can hold, in any shell and in `.env`. */
const writable = /^[\w.:@~-]+$/;

/** Identifiers that were chosen for a variable, and what their lookups have shown. */
interface Chosen {
  identifiers: Set<string>;
  shown: Set<string>;
}

async function identifiers(sources: string[]): Promise<void> {
  if (sources.length === 0) throw new Error('name the files to read: npm run identifiers -- session.har');
  const { operations } = loadContract();
  const { baseUrl } = readConfiguration().target;
  const variables = operations.flatMap(identifiersOf).map(({ variable }) => variable);
  const all = new Map<string, Chosen>(
    variables.map((one) => [one, { identifiers: new Set(), shown: new Set() }]),
  );
  let isEmpty = true;
  for await (const recorded of readTraffic(sources, { operations, baseUrl })) {
    if (recorded.kind === 'broken') tellBroken(recorded);
    else isEmpty = false;
    if (recorded.kind === 'exchange') take(recorded, all);
  }
  if (!isEmpty) writeVariables(all);
  else if (!process.exitCode) tellProblem('no recorded traffic is there');
}

const identifiersOf = ({ parameters }: Operation) =>
  parameters.flatMap(({ name, 'x-identifiers': variable }) => (variable ? [{ name, variable }] : []));

/** Chooses the identifiers of a lookup that has shown a schema node, a value of one, or a break, that no other one has. */
function take(recorded: RecordedExchange, all: Map<string, Chosen>): void {
  const { exchange } = recorded;
  const judged = judge(exchange);
  if (leftOpen(recorded, judged, () => false) || judged.body === undefined) return;
  const broken = judged.broken.map(({ requirement }) => `broken: ${requirement}`);
  const shown = [...Object.keys(judged.exercised), ...Object.keys(judged.covered), ...broken];
  for (const { name, variable } of identifiersOf(exchange.operation))
    choose(all.get(variable), exchange.parameters[name], shown);
}

function choose(chosen: Chosen | undefined, identifier = '', shown: string[]): void {
  if (!chosen || !writable.test(identifier) || shown.every((place) => chosen.shown.has(place))) return;
  chosen.identifiers.add(identifier);
  for (const place of shown) chosen.shown.add(place);
}

function writeVariables(all: Map<string, Chosen>): void {
  for (const [variable, { identifiers }] of all)
    if (identifiers.size > 0) process.stdout.write(`${variable}=${[...identifiers].join(',')}\n`);
    else tell(`${variable}: no lookup was recorded that found something it can hold`);
}

function tellBroken(broken: BrokenSource): void {
  const used = isMissingSource(broken.reason) ? '' : '; what can be read is used';
  tellProblem(`${broken.source}: ${describeBroken(broken)}${used}`);
}

function tellProblem(sentence: string): void {
  tell(sentence);
  process.exitCode = 1;
}

const tell = (error: unknown) => printError('identifiers', error);

await runCommand('identifiers', help, () => identifiers(process.argv.slice(2).map(sourceFromCaller)));
