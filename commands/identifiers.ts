import { runCommand } from '../reports/command.ts';
import { loadContract, type Operation } from '../schemas/contract/contract.ts';
import { judge } from '../schemas/judge/judge.ts';
import { resolveCallerSource } from '../src/run/caller-folder.ts';
import { readConfiguration } from '../src/run/target.ts';
import { printError } from '../src/run/terminal.ts';
import { explainSkipAfterJudging } from '../src/traffic/exchanges.ts';
import { readTraffic } from '../src/traffic/read-traffic.ts';
import type { RecordedExchange, UnreadablePart } from '../src/traffic/recorded.ts';
import { describeBroken, isOpeningFailure } from '../src/traffic/sources.ts';

/*
 * `npm run identifiers --silent -- session.har`: prints identifiers of recorded traffic as variables of a run, enough of them
 * to show every field, value and violation that the recorded lookups show. Only standard output contains identifiers.
 */

const help = `usage: npm run identifiers --silent -- FILE…   (FILE: recorded traffic)
Prints identifiers of recorded traffic, as variables of a run that sends requests.`;

/** Matches identifiers that need no quotes in a shell or `.env`. Excludes `~root` and `a:~root`, which a shell would expand. */
const unquotedPattern = /^(?!~)(?!.*:~)[\w.:@~-]+$/;

interface ChosenIdentifiers {
  identifiers: Set<string>;
  /** Seen in responses to `identifiers`: values (`getCard/…/physical_status = Active`), violations (`broken: getCard/code`). */
  coverage: Set<string>;
}

/** Prints lines such as `CARD_IDS=…`. Sets exit status 1 if a file is unreadable, or if the files contain no traffic. */
async function printIdentifiers(sources: string[]): Promise<void> {
  if (sources.length === 0) throw new Error('name the files to read: npm run identifiers -- session.har');
  const { operations } = loadContract();
  const { baseUrl } = readConfiguration().target;
  const variables = operations.flatMap(listIdentifierParameters).map(({ variable }) => variable);
  const chosenByVariable = new Map<string, ChosenIdentifiers>(
    variables.map((variable) => [variable, { identifiers: new Set(), coverage: new Set() }]),
  );
  let hasTraffic = false;
  for await (const recorded of readTraffic(sources, { operations, baseUrl })) {
    if (recorded.kind === 'broken') reportBroken(recorded);
    else hasTraffic = true;
    if (recorded.kind === 'exchange') chooseIdentifiers(recorded, chosenByVariable);
  }
  if (hasTraffic) printVariables(chosenByVariable);
  // If `process.exitCode` is set, `reportBroken` has reported an unreadable file already.
  else if (!process.exitCode) reportProblem('there is no recorded traffic');
}

const listIdentifierParameters = ({ parameters }: Operation) =>
  parameters.flatMap(({ name, 'x-identifiers': variable }) => (variable ? [{ name, variable }] : []));

/** Adds the identifiers of a recorded request if its response has a field, value or violation that no earlier response had. */
function chooseIdentifiers(
  recordedExchange: RecordedExchange,
  chosenByVariable: Map<string, ChosenIdentifiers>,
): void {
  const { exchange } = recordedExchange;
  const result = judge(exchange);
  // This command keeps no earlier responses, so it knows no record.
  const isRecordKnown = () => false;
  const skipReason = explainSkipAfterJudging(recordedExchange, result, isRecordKnown);
  if (skipReason || result.body === undefined) return;
  const exercisedAddresses = Object.keys(result.exercised);
  const seenValues = Object.keys(result.covered);
  const violations = result.broken.map(({ requirement }) => `broken: ${requirement}`);
  const responseCoverage = [...exercisedAddresses, ...seenValues, ...violations];
  for (const { name, variable } of listIdentifierParameters(exchange.operation))
    chooseIfNew(chosenByVariable.get(variable), exchange.parameters[name], responseCoverage);
}

function chooseIfNew(
  chosen: ChosenIdentifiers | undefined,
  identifier = '',
  responseCoverage: string[],
): void {
  if (!chosen || !unquotedPattern.test(identifier)) return;
  const showsNothingNew = responseCoverage.every((address) => chosen.coverage.has(address));
  if (showsNothingNew) return;
  chosen.identifiers.add(identifier);
  for (const address of responseCoverage) chosen.coverage.add(address);
}

function printVariables(chosenByVariable: Map<string, ChosenIdentifiers>): void {
  for (const [variable, { identifiers }] of chosenByVariable)
    if (identifiers.size > 0) process.stdout.write(`${variable}=${[...identifiers].join(',')}\n`);
    else printMessage(`${variable}: no recorded lookup found a record`);
}

function reportBroken(broken: UnreadablePart): void {
  const continuation = isOpeningFailure(broken.reason) ? '' : '; the readable part is used';
  reportProblem(`${broken.source}: ${describeBroken(broken)}${continuation}`);
}

function reportProblem(sentence: string): void {
  printMessage(sentence);
  process.exitCode = 1;
}

const printMessage = (error: unknown) => printError('identifiers', error);

await runCommand('identifiers', help, () => printIdentifiers(process.argv.slice(2).map(resolveCallerSource)));
