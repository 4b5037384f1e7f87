import { runCommand } from '../reports/command.ts';
import { loadContract, type Operation } from '../schemas/contract/contract.ts';
import { judge } from '../schemas/judge/judge.ts';
import type { JudgedResponse } from '../schemas/judge/judged.ts';
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

/** Matches an identifier, such as `card-1`, that needs no quotes in a shell or a `.env` file. */
const unquotedPattern = /^(?!~)(?!.*:~)[\w.:@~-]+$/;

interface ChosenIdentifiers {
  identifiers: Set<string>;
  /**
   * Facts that the responses for `identifiers` show. A fact is a judged requirement (`getCard/code`), a value or state of a field
   * (`getCard/data/card/physical_status = Active`), or a violation (`broken: getCard/code`).
   */
  coverage: Set<string>;
}

/**
 * Prints identifiers of recorded lookups as variables, such as `CARD_IDS=card-1,card-2`.
 * Prints an identifier only if one of its responses shows a new fact: a requirement, a value, a state or a violation.
 * A fact is new if no response for an identifier that was already chosen for the same variable shows the fact.
 * Leaves out an identifier that would need quotes in a shell.
 */
async function printIdentifiers(sources: string[]): Promise<void> {
  if (sources.length === 0) throw new Error('name the files to read: npm run identifiers -- session.har');
  const { operations } = loadContract();
  const { baseUrl } = readConfiguration().target;
  const chosenByVariable = createEmptyChoices(operations);
  let hasTraffic = false;
  let hasUnreadablePart = false;
  for await (const recorded of readTraffic(sources, { operations, baseUrl })) {
    if (recorded.kind === 'broken') {
      reportBroken(recorded);
      hasUnreadablePart = true;
      continue;
    }
    // An entry of the kind `skipped`, such as a request to another path, is traffic, too, but adds no identifier.
    hasTraffic = true;
    if (recorded.kind === 'exchange') chooseIdentifiers(recorded, chosenByVariable);
  }
  // The loop has already reported each unreadable part.
  if (hasTraffic) printVariables(chosenByVariable);
  else if (!hasUnreadablePart) reportProblem('there is no recorded traffic');
}

function createEmptyChoices(operations: Operation[]): Map<string, ChosenIdentifiers> {
  const variables = operations.flatMap(listIdentifierParameters).map(({ variable }) => variable);
  return new Map(variables.map((variable) => [variable, { identifiers: new Set(), coverage: new Set() }]));
}

const listIdentifierParameters = ({ parameters }: Operation) =>
  parameters.flatMap(({ name, 'x-identifiers': variable }) => (variable ? [{ name, variable }] : []));

function chooseIdentifiers(
  recordedExchange: RecordedExchange,
  chosenByVariable: Map<string, ChosenIdentifiers>,
): void {
  const { exchange } = recordedExchange;
  const result = judge(exchange);
  // This command keeps no earlier responses, so no record is known from one of them.
  const isRecordKnown = () => false;
  const skipReason = explainSkipAfterJudging(recordedExchange, result, isRecordKnown);
  const hasReadableBody = result.body !== undefined;
  if (skipReason || !hasReadableBody) return;
  const coverage = listCoverage(result);
  for (const { name, variable } of listIdentifierParameters(exchange.operation)) {
    const identifier = exchange.parameters[name] ?? '';
    const chosen = chosenByVariable.get(variable);
    // An identifier that needs quotes cannot be printed as a variable: a shell would expand `~root` and `a:~root`.
    if (chosen && unquotedPattern.test(identifier)) chooseIfNew(chosen, identifier, coverage);
  }
}

function listCoverage({ exercised, documentedValueCounts, broken }: JudgedResponse): string[] {
  const exercisedAddresses = Object.keys(exercised);
  const seenValues = Object.keys(documentedValueCounts);
  const violations = broken.map(({ requirement }) => `broken: ${requirement}`);
  return [...exercisedAddresses, ...seenValues, ...violations];
}

function chooseIfNew(chosen: ChosenIdentifiers, identifier: string, responseCoverage: string[]): void {
  const newCoverage = responseCoverage.filter((fact) => !chosen.coverage.has(fact));
  if (newCoverage.length === 0) return;
  chosen.identifiers.add(identifier);
  for (const fact of newCoverage) chosen.coverage.add(fact);
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
