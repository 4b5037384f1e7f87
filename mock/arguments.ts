import { parseArgs } from 'node:util';
import type { FailingPage } from './population.ts';

const string = { type: 'string' } as const;
const options = {
  port: string,
  customers: string,
  seed: string,
  fault: { type: 'string', multiple: true },
  latency: string,
  'max-limit': string,
  'failing-pages': string,
  help: { type: 'boolean' },
} as const;

/** Says what each option takes and does. */
export const optionHelp = `
  --port N                  listen there; default: $PORT, else any free port
  --customers N             serve so many customers, the first 75 always the same; default: 75
  --seed N                  choose the identifiers and shapes of the customers after those 75; default: 1
  --fault NAME[@N]          break each answer it is about, or with NAME@N every N-th customer; may be repeated
  --latency MS              begin each answer so many milliseconds late; default: 0
  --max-limit N             the longest page of customers; default: 100
  --failing-pages P,…       answer HTTP 500 to pages that hold the P-th customer; PxN: only the first N times
  --help                    list options and faults`;

function readNumber(name: string, text: string, min: number, max: number): number {
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

/** What the command line asks for. */
export type Arguments = ReturnType<typeof readArguments>;

/** Reads the command line. @throws one sentence that names the option */
export function readArguments(args: string[], portOfEnvironment = '0') {
  const { values } = parseArgs({ args, options });
  const numberOf = (
    name: 'port' | 'customers' | 'seed' | 'latency' | 'max-limit',
    min: number,
    max: number,
  ) => (values[name] === undefined ? undefined : readNumber(`--${name}`, values[name], min, max));
  return {
    help: values.help ?? false,
    port: numberOf('port', 0, 65_535) ?? readNumber('PORT', portOfEnvironment, 0, 65_535),
    customers: numberOf('customers', 1, 1e9),
    seed: numberOf('seed', 0, 2 ** 32 - 1),
    /** `NAME` or `NAME@N`. */
    faults: values.fault ?? [],
    latency: numberOf('latency', 0, 3_600_000) ?? 0,
    maxLimit: numberOf('max-limit', 1, 1e9),
    failingPages: values['failing-pages']?.split(',').map(readFailingPage) ?? [],
  };
}
