import { parseArgs } from 'node:util';
import { closest } from 'fastest-levenshtein';
import { readFault, type SelectedFault } from './fault-names.ts';
import type { FailingPage } from './population/population.ts';

/** Each option of the command line: what it takes, and what it does. */
export const optionHelp = {
  port: ['N', 'listen there; default: $PORT, else any free port'],
  customers: ['N', 'serve so many customers, the first 75 always the same; default: 75'],
  seed: ['N', 'choose the identifiers and shapes of the customers after those 75; default: 1'],
  fault: ['NAME[@N]', 'break each answer it is about, or with NAME@N every N-th customer; may be repeated'],
  latency: ['MS', 'begin each answer so many milliseconds late; default: 0'],
  'max-limit': ['N', 'the longest page of customers; default: 100'],
  'failing-pages': [
    'P,…',
    'answer HTTP 500 to pages that hold the P-th customer; PxN: only the first N times',
  ],
  inserts: ['N', 'add a customer at the front of the list after every N pages'],
  removals: ['N', 'remove a customer from the list after every N pages'],
  help: ['', 'list options and faults'],
} as const satisfies Record<string, readonly [takes: string, does: string]>;

type OptionName = keyof typeof optionHelp;
const optionNames = Object.keys(optionHelp) as OptionName[];

/** What the command line asks for. */
export interface Arguments {
  help: boolean;
  port: number;
  customers: number | undefined;
  seed: number | undefined;
  faults: SelectedFault[];
  latency: number;
  maxLimit: number | undefined;
  failingPages: FailingPage[];
  inserts: number | undefined;
  removals: number | undefined;
}

type Texts = Partial<Record<OptionName, string[]>>;

/** The texts of each option, or an error that says which argument is none. */
function readTexts(args: string[]): Texts {
  const options = Object.fromEntries(
    optionNames.map((name) => [name, { type: name === 'help' ? 'boolean' : 'string' } as const]),
  );
  const { tokens } = parseArgs({ args, options, strict: false, tokens: true });
  const texts: Texts = {};
  for (const token of tokens) {
    if (token.kind === 'positional')
      throw new Error(`"${token.value}" belongs to no option: put a name that holds blanks in quotes`);
    if (token.kind !== 'option') continue;
    const name = optionNames.find((known) => known === token.name);
    if (!name)
      throw new Error(
        `there is no option ${token.rawName}: did you mean --${closest(token.name, optionNames)}?`,
      );
    const text = name === 'help' ? '' : token.value;
    if (text === undefined) throw new Error(`--${name} needs a value: --${name} ${optionHelp[name][0]}`);
    texts[name] = [...(texts[name] ?? []), text];
  }
  return texts;
}

function readNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

/** The last one given counts, as elsewhere. */
function numberOf(texts: Texts, name: OptionName, min: number, max: number): number | undefined {
  const text = texts[name]?.at(-1);
  return text === undefined ? undefined : readNumber(`--${name}`, text, min, max);
}

function readFailingPage(text: string): FailingPage {
  const [, position, times] = /^(\d+)(?:x(\d+))?$/.exec(text.trim()) ?? [];
  if (!position)
    throw new Error(`--failing-pages must be positions in the list, such as 5000,70000x2, not "${text}"`);
  return { position: Number(position), times: times === undefined ? undefined : Number(times) };
}

const maxCustomers = 1_000_000_000;
const maxSeed = 2 ** 32 - 1;
const anHourMs = 3_600_000;

/** Reads the command line, or fails with one sentence that says what to write instead. */
export function readArguments(args: string[], portOfEnvironment = '0'): Arguments {
  const texts = readTexts(args);
  const { failingPages = [], fault = [] } = { ...texts, failingPages: texts['failing-pages'] };
  const customers = numberOf(texts, 'customers', 1, maxCustomers);
  const removals = numberOf(texts, 'removals', 1, maxCustomers);
  if (removals && !(customers && customers > 75))
    throw new Error('--removals needs more customers than the 75 that always stay: add --customers 1000');
  return {
    help: texts.help !== undefined,
    port: numberOf(texts, 'port', 0, 65_535) ?? readNumber('PORT', portOfEnvironment, 0, 65_535),
    customers,
    seed: numberOf(texts, 'seed', 0, maxSeed),
    faults: fault.map(readFault),
    latency: numberOf(texts, 'latency', 0, anHourMs) ?? 0,
    maxLimit: numberOf(texts, 'max-limit', 1, maxCustomers),
    failingPages: failingPages.flatMap((text) => text.split(',')).map(readFailingPage),
    inserts: numberOf(texts, 'inserts', 1, maxCustomers),
    removals,
  };
}
