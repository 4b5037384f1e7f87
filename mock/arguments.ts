import { parseArgs } from 'node:util';
import { closest } from 'fastest-levenshtein';
import type { FailingPage } from './population.ts';

interface Option {
  takes: string;
  does: string;
  /** Bounds, where it takes a number. */
  min?: number;
  max?: number;
}

/** Each option of the command line. */
const options = {
  port: { takes: 'N', does: 'listen there; default: $PORT, else any free port', min: 0, max: 65_535 },
  customers: {
    takes: 'N',
    does: 'serve so many customers, the first 75 always the same; default: 75',
    ...{ min: 1, max: 1_000_000_000 },
  },
  seed: {
    takes: 'N',
    does: 'choose the identifiers and shapes of the customers after those 75; default: 1',
    ...{ min: 0, max: 2 ** 32 - 1 },
  },
  fault: {
    takes: 'NAME[@N]',
    does: 'break each answer it is about, or with NAME@N every N-th customer; may be repeated',
  },
  latency: {
    takes: 'MS',
    does: 'begin each answer so many milliseconds late; default: 0',
    ...{ min: 0, max: 3_600_000 },
  },
  'max-limit': {
    takes: 'N',
    does: 'the longest page of customers; default: 100',
    ...{ min: 1, max: 1_000_000_000 },
  },
  'failing-pages': {
    takes: 'P,…',
    does: 'answer HTTP 500 to pages that hold the P-th customer; PxN: only the first N times',
  },
  help: { takes: '', does: 'list options and faults' },
} as const satisfies Record<string, Option>;

type OptionName = keyof typeof options;
const optionNames = Object.keys(options) as OptionName[];

/** Lines that say what each option takes and does. */
export const optionHelp = optionNames.map(
  (name) => `  ${`--${name} ${options[name].takes}`.padEnd(28)}${options[name].does}`,
);

/** What the command line asks for. */
export interface Arguments {
  help: boolean;
  port: number;
  customers: number | undefined;
  seed: number | undefined;
  /** `NAME` or `NAME@N`. */
  faults: string[];
  latency: number;
  maxLimit: number | undefined;
  failingPages: FailingPage[];
}

/** The texts of each option. @throws a sentence that says which argument is none */
function readTexts(args: string[]): Partial<Record<OptionName, string[]>> {
  const types = optionNames.map((name) => [name, { type: name === 'help' ? 'boolean' : 'string' } as const]);
  const { tokens } = parseArgs({ args, options: Object.fromEntries(types), strict: false, tokens: true });
  const texts: Partial<Record<OptionName, string[]>> = {};
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
    if (text === undefined) throw new Error(`--${name} needs a value: --${name} ${options[name].takes}`);
    texts[name] = [...(texts[name] ?? []), text];
  }
  return texts;
}

function readNumber(name: string, text: string, { min = 0, max = 0 }: Partial<Option>): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

function readFailingPage(text: string): FailingPage {
  const [, position, times] = /^(\d+)(?:x(\d+))?$/.exec(text.trim()) ?? [];
  if (!position)
    throw new Error(`--failing-pages must be positions in the list, such as 5000,70000x2, not "${text}"`);
  return { position: Number(position), times: times === undefined ? undefined : Number(times) };
}

/** Reads the command line; of an option that is given twice the last counts. @throws one sentence */
export function readArguments(args: string[], portOfEnvironment = '0'): Arguments {
  const texts = readTexts(args);
  const numberOf = (name: OptionName) => {
    const text = texts[name]?.at(-1);
    return text === undefined ? undefined : readNumber(`--${name}`, text, options[name]);
  };
  return {
    help: texts.help !== undefined,
    port: numberOf('port') ?? readNumber('PORT', portOfEnvironment, options.port),
    customers: numberOf('customers'),
    seed: numberOf('seed'),
    faults: texts.fault ?? [],
    latency: numberOf('latency') ?? 0,
    maxLimit: numberOf('max-limit'),
    failingPages: (texts['failing-pages'] ?? []).flatMap((text) => text.split(',')).map(readFailingPage),
  };
}
