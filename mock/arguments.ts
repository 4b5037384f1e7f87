import { parseArgs } from 'node:util';

const string = { type: 'string' } as const;
const options = {
  port: string,
  customers: string,
  fault: { type: 'string', multiple: true },
  faults: string,
  'max-limit': string,
  help: { type: 'boolean' },
} as const;

/** Says what each option takes and does. */
export const optionHelp = `
  --port N                  listen there; default: $PORT, else any free port
  --customers N             serve so many customers, the first 75 always the same; default: 75
  --fault NAME[@N]          break each answer it is about, or with NAME@N every N-th customer; may be repeated
  --faults TEXT             list the faults with this text in their names, such as getCard or customer
  --max-limit N             the longest page of customers; default: 100
  --help                    list the options`;

function readNumber(name: string, text: string, min: number, max: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= min && number <= max) return number;
  throw new Error(`${name} must be a whole number from ${min} to ${max}, not "${text}"`);
}

/** What the command line asks for. */
export type Arguments = ReturnType<typeof readArguments>;

/** Reads the command line. @throws one sentence that names the option */
export function readArguments(args: string[], portOfEnvironment = '0') {
  const { values } = parseArgs({ args, options });
  const numberOf = (name: 'port' | 'customers' | 'max-limit', min: number, max: number) =>
    values[name] === undefined ? undefined : readNumber(`--${name}`, values[name], min, max);
  return {
    help: values.help ?? false,
    port: numberOf('port', 0, 65_535) ?? readNumber('PORT', portOfEnvironment, 0, 65_535),
    customers: numberOf('customers', 1, 1e9),
    /** `NAME` or `NAME@N`. */
    faults: values.fault ?? [],
    /** Which faults are to be listed; undefined where the mock is to be started. */
    listed: values.faults,
    maxLimit: numberOf('max-limit', 1, 1e9),
  };
}
