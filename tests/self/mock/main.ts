import { parseArgs } from 'node:util';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { customers } from '../../../mock/seed.ts';
import { type Alter, type Mock, type MockOptions, startMock } from '../../../mock/server.ts';
import type { SelectedFault } from '../proof/named-faults.ts';

/** The faults of the proof, loaded only where one is named or some are listed. */
const namedFaults = () => import('../proof/named-faults.ts');

const help = `Usage: npm run mock -- [options]

  --port N                  listen there; default: $PORT, else any free port
  --customers N             serve so many customers, the first 75 always the same; default: 75
  --fault NAME[@N]          break each answer it is about, or with NAME@N every N-th customer; may be repeated
  --faults TEXT             list the faults with this text in their names, such as getCard or customer
  --max-limit N             the longest page of customers; default: 100
  --help                    list the options

Example: npm run mock -- --customers 1000000 --fault 'customer: phone is null@10007'`;

const string = { type: 'string' } as const;
const options = {
  port: string,
  customers: string,
  fault: { type: 'string', multiple: true },
  faults: string,
  'max-limit': string,
  help: { type: 'boolean' },
} as const;

function readNumber(name: string, text: string | undefined, min: number, max: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

/** What the command line asks for, but for help. */
type Arguments = ReturnType<typeof readArguments>;

/** Reads the command line. @throws one sentence that names the option */
function readArguments() {
  const { values } = parseArgs({ options });
  return {
    ...values,
    port:
      readNumber('--port', values.port, 0, 65_535) ??
      readNumber('PORT', process.env.PORT || undefined, 0, 65_535),
    customers: readNumber('--customers', values.customers, 1, 1e9),
    maxLimit: readNumber('--max-limit', values['max-limit'], 1, 1e9),
  };
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

function optionsOf({ port, customers, maxLimit }: Arguments, faults: SelectedFault[]): MockOptions {
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
    ...(alters[0] && { alter: inTurn }),
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
  const faults = given.fault ? given.fault.map((await namedFaults()).readFault) : [];
  const mock = await startMock(optionsOf(given, faults));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => mock.close());
  announce(mock, given, faults);
}

try {
  const given = readArguments();
  if (given.help) print([help]);
  else await (given.faults === undefined ? start(given) : printFaults(given.faults));
} catch (error) {
  process.stderr.write(`mock: ${(error as Error).message.split('\n')[0]}\n`);
  process.exitCode = 1;
}
