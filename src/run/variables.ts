import path from 'node:path';
import { isRecord, parse } from '../../schemas/json.ts';
import { explainUnreadable } from '../client/files.ts';
import { isHeader, listReservedHeaders } from '../client/signing.ts';
import { resolveCallerPath } from './caller-folder.ts';
import {
  type ChoiceName,
  type ChoiceOf,
  type Environment,
  type FlagName,
  type NumberName,
  type Variable,
  type VariableName,
  variableTable,
} from './variable-table.ts';

/** Splits comma-separated values, and drops blanks around them and empty values: `['a', 'b']` for `a, b,`. */
export const split = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/** Reads variables as `variableTable` describes them, and adds a sentence for each mistake to `problems`. Empty counts as unset. */
export class VariableReader {
  readonly problems: string[] = [];
  readonly env: Environment;
  /** True if the embedded mock is the target, for which some variables have other defaults. */
  readonly isMock: boolean;

  constructor(env: Environment, isMock: boolean) {
    this.env = env;
    this.isMock = isMock;
  }

  /** Reads the text of a variable; undefined if unset or empty. */
  text(name: VariableName): string | undefined {
    return this.env[name] || undefined;
  }

  /** Reads a number within `min` and `max`. Returns the default for an unset or mistaken variable, NaN if there is no default. */
  number(name: NumberName): number {
    const entry: Variable & { min: number } = variableTable[name];
    const fallback = this.isMock && typeof entry.mock === 'number' ? entry.mock : Number(entry.default);
    const text = this.text(name);
    if (text === undefined) return fallback;
    const { min, max = Number.MAX_SAFE_INTEGER } = entry;
    const number = Number(text);
    if (number >= min && number <= max) return number;
    const bounds = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    this.problems.push(`${name} must be a number ${bounds}`);
    return fallback;
  }

  /** Reads one of the choices of a variable. Returns the first choice for an unset or mistaken variable. */
  choice<Name extends ChoiceName>(name: Name): ChoiceOf<Name> {
    const choices: readonly ChoiceOf<Name>[] = variableTable[name].choices;
    const text = this.text(name);
    const defaultChoice = choices[0] as ChoiceOf<Name>;
    const choice = choices.find((candidate) => candidate === (text ?? defaultChoice));
    if (!choice) this.problems.push(`${name} must be one of: ${choices.join(', ')}`);
    return choice ?? defaultChoice;
  }

  /**
   * Reads a number or one of some words, and a seed after a colon: `5000:42`, `all`. Both results are undefined for an unset or
   * mistaken variable.
   */
  seeded<Word extends string>(
    name: VariableName,
    words: readonly Word[],
  ): { count: number | Word | undefined; seed: number | undefined } {
    const text = this.text(name)?.trim();
    const [, quantity, seed] = /^(\w+)(?::(\d{1,10}))?$/.exec(text ?? '') ?? [];
    const word = words.find((candidate) => candidate === quantity);
    const count = word ?? (/^\d{1,9}$/.test(quantity ?? '') ? Number(quantity) : undefined);
    if (text && count === undefined)
      this.problems.push(
        `${name} must be ${[...words, 'a number such as 5000, or 5000:42 with a seed'].join(', ')}`,
      );
    return { count, seed: seed === undefined ? undefined : Number(seed) };
  }

  isSet(name: FlagName): boolean {
    return this.choice(name) === '1';
  }

  /** Reads a path, resolved against the folder of the caller. Returns `fallback`, resolved as well, if the variable is unset. */
  path<Fallback extends string | undefined>(name: VariableName, fallback: Fallback): string | Fallback {
    const file = this.text(name) ?? fallback;
    return file ? path.resolve(resolveCallerPath(file, this.env)) : fallback;
  }

  /** Reads the path of a readable file; undefined for an unset or mistaken variable. */
  file(name: VariableName): string | undefined {
    const text = this.text(name);
    if (!text) return undefined;
    const file = resolveCallerPath(text, this.env);
    const reason = explainUnreadable(file);
    if (reason === undefined) return file;
    this.problems.push(`${name} names ${reason}`);
    return undefined;
  }
}

/** Checks that a text is a URL with valid percent-encoding of user and password: `https://a%25b@host`, not `https://a%b@host`. */
export function isUrl(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    // Throws for a `%` that begins no encoded character.
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses an address, and removes slashes at its end. Undefined, with a sentence added to `problems`, if the address is mistaken.
 */
export function readUrl(padded: string, problems: string[], name = 'BASE_URL'): string | undefined {
  const problem = (reason: string) =>
    void problems.push(`${name} ${reason}, for example https://api.example.com`);
  const text = padded.trim();
  if (!URL.canParse(text) || /\s/.test(text)) return problem('is not a URL: give scheme and host');
  if (!isUrl(text)) return problem('has a user or password that is not escaped: write % as %25');
  if (!/^https?:$/.test(new URL(text).protocol)) return problem('must begin with http:// or https://');
  // Even an empty query (`/?`) would swallow the path that each request appends.
  if (/[?#]/.test(text)) return problem('must not have a query or a fragment');
  return text.replace(/\/+$/, '');
}

/** Parses `API_HEADERS`. No headers, with a sentence added to `problems`, if the text is mistaken. */
export function readHeaders(text = '{}', problems: string[]): Record<string, string> {
  const headers = parse(text)?.value;
  const problem = findHeaderProblem(headers);
  if (!problem) return headers as Record<string, string>;
  problems.push(`API_HEADERS ${problem}; give a JSON object such as {"X-Api-Key":"…"}`);
  return {};
}

/** Returns what is wrong with the parsed `API_HEADERS`, as a continuation of "API_HEADERS"; undefined if nothing is. */
function findHeaderProblem(headers: unknown): string | undefined {
  if (!isRecord(headers)) return 'is no JSON object';
  const entries = Object.entries(headers);
  if (!entries.every(([name, value]) => isHeader(name, value)))
    return 'has a name or value that HTTP does not allow';
  const names = entries.map(([name]) => name.toLowerCase());
  // The client sets `Accept` for each request. A signing module may return the `Accept` that it received, so only API_HEADERS cannot.
  const reserved = [...listReservedHeaders(names), ...names.filter((name) => name === 'accept')];
  if (reserved.length > 0) return `sets ${reserved.join(', ')}, which only the client itself may set`;
  return new Set(names).size < names.length ? 'has a header twice' : undefined;
}
