import type { SelectedFault } from '../tests/self/proof/named-faults.ts';
import { type Arguments, optionHelp, readArguments } from './arguments.ts';
import { knownIdentifiers } from './operations.ts';
import { customers } from './seed.ts';
import { type Alter, type Mock, type MockOptions, startMock } from './server.ts';

/** The faults of the proof, loaded only where one is named or some are listed. */
const namedFaults = () => import('../tests/self/proof/named-faults.ts');

function printHelp(): void {
  const example = `Example: npm run mock -- --customers 1000000 --fault 'customer: phone is null@10007'`;
  print(['Usage: npm run mock -- [options]', optionHelp, '', example]);
}

/** Prints the names of the faults that hold a text. */
async function printFaults(text: string): Promise<void> {
  const names = (await namedFaults()).faultNames.filter((name) => name.includes(text));
  if (names.length === 0) throw new Error(`no fault has "${text}" in its name`);
  print(names.map(inShell));
}

/** As a shell takes it: some names have an apostrophe. */
const inShell = (name: string) => `'${name.replaceAll("'", `'\\''`)}'`;

const print = (lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`);

function optionsOf(given: Arguments, faults: SelectedFault[]): MockOptions {
  const { port, customers, maxLimit } = given;
  const alters = faults.flatMap(({ alter }) => alter ?? []);
  const inTurn: Alter = async (answer, request) => {
    let altered = answer;
    for (const alter of alters) altered = await alter(altered, request);
    return altered;
  };
  return {
    port,
    choices: maxLimit ? { maxLimit } : {},
    population: { customers, faults: faults.flatMap(({ planted }) => planted ?? []) },
    ...(alters.length > 0 ? { alter: inTurn } : {}),
  };
}

/** Lines for a shell: what is no variable is a comment, so that all of it can be pasted. */
function announce(mock: Mock, given: Arguments, faults: SelectedFault[]): void {
  const count = given.customers ?? customers.length;
  const number = (value: number) => value.toLocaleString('en');
  print([
    `# The mock listens at ${mock.url} (Ctrl+C stops it). To point the suite at it:`,
    ...faults.map(({ name, planted }) =>
      planted
        ? `# ${name}: ${number(Math.floor(count / planted.every))} of ${number(count)} customers`
        : `# ${name}: each answer it is about`,
    ),
    `export BASE_URL=${mock.url}`,
    ...Object.entries(knownIdentifiers).map(([variable, ids]) => `export ${variable}=${ids.join(',')}`),
  ]);
}

async function start(given: Arguments): Promise<void> {
  const faults = given.faults.length > 0 ? given.faults.map((await namedFaults()).readFault) : [];
  const mock = await startMock(optionsOf(given, faults));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => mock.close());
  announce(mock, given, faults);
}

try {
  const given = readArguments(process.argv.slice(2), process.env.PORT || undefined);
  if (given.help) printHelp();
  else await (given.listed === undefined ? start(given) : printFaults(given.listed));
} catch (error) {
  process.stderr.write(`mock: ${(error as Error).message.split('\n')[0]}\n`);
  process.exitCode = 1;
}
