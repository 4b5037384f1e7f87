import { parseArgs } from 'node:util';
import { customers } from '../../../mock/customers.ts';
import { knownIdentifiers } from '../../../mock/operations.ts';
import { type Mock, type MockOptions, startMock } from '../../../mock/server.ts';
import { applyInOrder } from '../harness/edits.ts';
import type { SelectedFault } from '../proof/named-faults.ts';
import { createPopulation } from './population.ts';

// Imported only if an option needs the module, because the import takes time.
const loadNamedFaults = () => import('../proof/named-faults.ts');

const help = `usage: npm run mock -- [options]

  --port N                  listen at this port; default: $PORT, else any free port
  --customers N             serve N customers, the first 75 always the same; default: 75
  --fault NAME[@N]          break each response that the fault is about, or with NAME@N every N-th customer; may be repeated
  --faults TEXT             list the faults with this text in their names, such as getCard or customer
  --max-limit N             serve at most N customers a page; default: 100
  --help                    list the options

Example: npm run mock -- --customers 1000000 --fault 'customer: phone is null@10007'`;

const stringOption = { type: 'string' } as const;
const options = {
  port: stringOption,
  customers: stringOption,
  fault: { type: 'string', multiple: true },
  faults: stringOption,
  'max-limit': stringOption,
  help: { type: 'boolean' },
} as const;

function parseWholeNumber(
  name: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

type Arguments = ReturnType<typeof readArguments>;

function readArguments() {
  const { values } = parseArgs({ options });
  return {
    ...values,
    port: readPort(values.port),
    customers: parseWholeNumber('--customers', values.customers, 1, 1e9),
    maxLimit: parseWholeNumber('--max-limit', values['max-limit'], 1, 1e9),
  };
}

function readPort(option: string | undefined): number | undefined {
  if (option !== undefined) return parseWholeNumber('--port', option, 0, 65_535);
  // An empty `PORT` counts as not set.
  return parseWholeNumber('PORT', process.env.PORT || undefined, 0, 65_535);
}

async function printFaults(text: string): Promise<void> {
  const { faultNames } = await loadNamedFaults();
  const names = faultNames.filter((name) => name.toLowerCase().includes(text.toLowerCase()));
  if (names.length === 0) throw new Error(`no fault has "${text}" in its name`);
  print(names.map(quoteForShell));
}

const quoteForShell = (name: string) => `'${name.replaceAll("'", `'\\''`)}'`;

const print = (lines: string[]) => process.stdout.write(`${lines.join('\n')}\n`);

function createMockOptions({ port, customers, maxLimit }: Arguments, faults: SelectedFault[]): MockOptions {
  const alters = faults.map(({ alter }) => alter).filter((alter) => alter !== undefined);
  const plantedFaults = faults.map(({ planted }) => planted).filter((planted) => planted !== undefined);
  const options: MockOptions = {
    port,
    choices: maxLimit ? { maxLimit } : {},
    store: createPopulation({ customers, faults: plantedFaults }),
  };
  // Without faults of answers, `alter` stays undefined, because the mock would copy each response for it.
  if (alters.length > 0) options.alter = applyInOrder(...alters);
  return options;
}

function describeFault({ name, planted }: SelectedFault, customerCount: number): string {
  if (!planted) return `${name}: in each response that the fault is about`;
  const formatNumber = (value: number) => value.toLocaleString('en');
  const faultyCount = Math.floor(customerCount / planted.every);
  return `${name}: ${formatNumber(faultyCount)} of ${formatNumber(customerCount)} customers`;
}

function printInstructions(mock: Mock, commandLine: Arguments, faults: SelectedFault[]): void {
  const customerCount = commandLine.customers ?? customers.length;
  const { CUSTOMER_IDS = [] } = knownIdentifiers;
  const identifiers = Object.entries({
    ...knownIdentifiers,
    CUSTOMER_IDS: CUSTOMER_IDS.slice(0, customerCount),
  });
  print([
    `# The mock listens at ${mock.url} (Ctrl+C stops it).`,
    ...faults.map((fault) => `# ${describeFault(fault, customerCount)}`),
    '# To point the suite at it:',
    `export BASE_URL=${mock.url}`,
    ...identifiers.map(([variable, ids]) => `export ${variable}=${ids.join(',')}`),
  ]);
}

async function loadFaults(texts: string[] = []): Promise<SelectedFault[]> {
  if (texts.length === 0) return [];
  const { readFault } = await loadNamedFaults();
  return texts.map(readFault);
}

async function startWithInstructions(commandLine: Arguments): Promise<void> {
  const faults = await loadFaults(commandLine.fault);
  const mock = await startMock(createMockOptions(commandLine, faults));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => mock.close());
  printInstructions(mock, commandLine, faults);
}

try {
  const commandLine = readArguments();
  if (commandLine.help) print([help]);
  else if (commandLine.faults !== undefined) await printFaults(commandLine.faults);
  else await startWithInstructions(commandLine);
} catch (error) {
  process.stderr.write(`mock: ${(error as Error).message.split('\n')[0]}\n`);
  process.exitCode = 1;
}
