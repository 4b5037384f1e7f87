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

/** Splits a comma-separated list into its values. Drops blanks around them and empty values: `['a', 'b']` for `a, b,`. */
export const split = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/**
 * Reads configuration variables as `variableTable` describes them. Adds a sentence to `problems` for each mistake. An empty
 * variable counts as unset.
 */
export class VariableReader {
  readonly problems: string[] = [];
  readonly env: Environment;
  /** True if the embedded mock is the target, for which some variables have other defaults. */
  readonly isMock: boolean;

  constructor(env: Environment, isMock: boolean) {
    this.env = env;
    this.isMock = isMock;
  }

  /** Reads the text of a configuration variable; undefined if it is unset or empty. */
  text(name: VariableName): string | undefined {
    return this.env[name] || undefined;
  }

  /**
   * Reads a configuration variable that is a number from `min` to `max`. Returns the default of the variable if it is unset or
   * mistaken; NaN if it has no default.
   */
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

  /** Reads a configuration variable that is one of some words. Returns the first word if it is unset or mistaken. */
  choice<Name extends ChoiceName>(name: Name): ChoiceOf<Name> {
    const choices: readonly ChoiceOf<Name>[] = variableTable[name].choices;
    const text = this.text(name);
    const defaultChoice = choices[0] as ChoiceOf<Name>;
    const choice = choices.find((candidate) => candidate === (text ?? defaultChoice));
    if (!choice) this.problems.push(`${name} must be one of: ${choices.join(', ')}`);
    return choice ?? defaultChoice;
  }

  /**
   * Reads a configuration variable that is a number or one of some words, perhaps with a seed after a colon: `5000:42`, `all`. Both
   * results are undefined for an unset or mistaken variable.
   */
  seeded<Word extends string>(
    name: VariableName,
    words: readonly Word[],
  ): { count: number | Word | undefined; seed: number | undefined } {
    const text = this.text(name)?.trim();
    const [, quantity = '', seed] = /^(\w+)(?::(\d{1,10}))?$/.exec(text ?? '') ?? [];
    const word = words.find((candidate) => candidate === quantity);
    const number = /^\d{1,9}$/.test(quantity) ? Number(quantity) : undefined;
    const count = word ?? number;
    if (text && count === undefined)
      this.problems.push(
        `${name} must be ${[...words, 'a number such as 5000, or 5000:42 with a seed'].join(', ')}`,
      );
    return { count, seed: seed === undefined ? undefined : Number(seed) };
  }

  isSet(name: FlagName): boolean {
    return this.choice(name) === '1';
  }

  /**
   * Reads a configuration variable that is a path. Returns the path as an absolute one, resolved against the caller's folder.
   * Returns `fallback`, resolved in the same way, if the variable is unset.
   */
  path<Fallback extends string | undefined>(name: VariableName, fallback: Fallback): string | Fallback {
    const file = this.text(name) ?? fallback;
    return file ? path.resolve(resolveCallerPath(file, this.env)) : fallback;
  }

  /**
   * Reads a configuration variable that names a readable file, and resolves its path against the caller's folder. Undefined if the
   * variable is unset, or if the file cannot be read, which is a problem.
   */
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

/**
 * Returns whether a text is a URL whose user and password are validly percent-encoded: `https://a%25b@host`, but not
 * `https://a%b@host`.
 */
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
 * Parses the address of a target or token server, and removes slashes at its end. Undefined if the address is mistaken, which adds
 * a sentence to `problems`.
 * @param name variable that holds the address, for the sentence
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

/** Parses `API_HEADERS`, a JSON object of headers. Returns `{}` if the text is mistaken, which adds a sentence to `problems`. */
export function readHeaders(text = '{}', problems: string[]): Record<string, string> {
  const headers = parse(text)?.value;
  const problem = findHeaderProblem(headers);
  if (!problem) return headers as Record<string, string>;
  problems.push(`API_HEADERS ${problem}; give a JSON object such as {"X-Api-Key":"…"}`);
  return {};
}

/**
 * Explains what is wrong with the parsed value of `API_HEADERS`, as a continuation of "API_HEADERS": "has a header twice".
 * Undefined if nothing is wrong.
 */
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
