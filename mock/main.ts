import { type Arguments, optionHelp, readArguments } from './arguments.ts';
import { faultNames } from './fault-names.ts';
import { knownIdentifiers } from './operations.ts';
import type { PlantedFault } from './population/population.ts';
import { customers } from './seed.ts';
import { type Mock, type MockOptions, startMock } from './server.ts';
import { inTurn } from './variants/variant.ts';

/** One line that says what went wrong and what to do about it. */
function reasonOf(error: unknown): string {
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `port ${port} is already in use: choose another with --port N, or none at all`;
  if (code === 'EACCES') return `port ${port} may not be opened by this user: choose one above 1023`;
  return message.split('\n')[0] ?? message;
}

function printHelp(): void {
  const options = Object.entries(optionHelp).map(
    ([name, [takes, does]]) => `  ${`--${name} ${takes}`.padEnd(28)}${does}`,
  );
  const faults = Object.entries(faultNames).flatMap(([about, names]) => [
    '',
    `Faults of ${about}:`,
    ...names.map((name) => `  ${inShell(name)}`),
  ]);
  const example = `Example: npm run mock -- --customers 1000000 --fault 'customer: phone is null@10007'`;
  print(['Usage: npm run mock -- [options]', '', ...options, '', example, ...faults]);
}

/** As a shell takes it: some names have an apostrophe. */
const inShell = (name: string) => `'${name.replaceAll("'", `'\\''`)}'`;

const print = (lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`);

const plantedIn = ({ faults }: Arguments): PlantedFault[] =>
  faults.flatMap((fault) => ('ofCustomers' in fault ? [fault.ofCustomers] : []));

function optionsOf(given: Arguments): MockOptions {
  const { port, customers, seed, failingPages, maxLimit, latency } = given;
  const alters = given.faults.flatMap((fault) => ('ofAnswers' in fault ? [fault.ofAnswers.alter] : []));
  const movement = { insertEvery: given.inserts, removeEvery: given.removals };
  return {
    port,
    choices: { delayMs: latency, ...(maxLimit ? { maxLimit } : {}) },
    population: { customers, seed, failingPages, faults: plantedIn(given), ...movement },
    ...(alters.length > 0 ? { alter: inTurn(...alters) } : {}),
  };
}

/** Lines for a shell: what is no variable is a comment, so that all of it can be pasted. */
function announce(mock: Mock, given: Arguments): void {
  const count = given.customers ?? customers.length;
  const number = (value: number) => value.toLocaleString('en');
  print([
    `# The mock listens at ${mock.url} (Ctrl+C stops it). To point the suite at it:`,
    ...plantedIn(given).map(
      ({ name, every }) => `# ${name}: ${number(Math.floor(count / every))} of ${number(count)} customers`,
    ),
    `export BASE_URL=${mock.url}`,
    ...Object.entries(knownIdentifiers).map(
      ([variable, ids]) => `export ${variable}=${ids.filter((id) => isServed(id, count)).join(',')}`,
    ),
  ]);
}

/** Whether a record is served where only the first customers are. */
const isServed = (id: string, count: number) =>
  !customers.slice(count).some(({ customer }) => customer.uuid === id);

async function start(given: Arguments): Promise<void> {
  const mock = await startMock(optionsOf(given));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => mock.close());
  announce(mock, given);
}

try {
  const given = readArguments(process.argv.slice(2), process.env.PORT || undefined);
  if (given.help) printHelp();
  else await start(given);
} catch (error) {
  process.stderr.write(`mock: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}
