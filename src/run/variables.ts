import path from 'node:path';
import { isRecord, parseJson } from '../../schemas/json.ts';
import { explainUnreadable } from '../client/files.ts';
import { isValidHeader, listReservedHeaders } from '../client/signing.ts';
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

/** Splits a comma-separated list: `'a, b,'` becomes `['a', 'b']`. */
export const splitList = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

const numberWithSeed = /^(?<digits>\d{1,9})(?::(?<seed>\d{1,10}))?$/;

/** Reads configuration variables, and describes invalid ones in `problems`. */
export class VariableReader {
  readonly problems: string[] = [];
  readonly env: Environment;
  readonly isMock: boolean;

  constructor(env: Environment, isMock: boolean) {
    this.env = env;
    this.isMock = isMock;
  }

  text(name: VariableName): string | undefined {
    return this.env[name] || undefined;
  }

  /** Reads a number. Returns the default if the variable is unset or invalid. */
  number(name: NumberName): number {
    const variable: Variable & { min: number } = variableTable[name];
    const { min, max, mock: mockDefault } = variable;
    const hasMockDefault = this.isMock && typeof mockDefault === 'number';
    const defaultNumber = hasMockDefault ? mockDefault : Number(variable.default);
    const text = this.text(name);
    if (text === undefined) return defaultNumber;
    // `Number(' ')` is 0.
    const number = text.trim() ? Number(text) : Number.NaN;
    if (number >= min && number <= (max ?? Number.MAX_SAFE_INTEGER)) return number;
    const bounds = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
    this.problems.push(`${name} must be a number ${bounds}`);
    return defaultNumber;
  }

  /** Reads a variable with fixed choices. Returns the first choice if the variable is unset or invalid. */
  choice<Name extends ChoiceName>(name: Name): ChoiceOf<Name> {
    const choices: readonly ChoiceOf<Name>[] = variableTable[name].choices;
    const defaultChoice = choices[0] as ChoiceOf<Name>;
    const text = this.text(name);
    if (text === undefined) return defaultChoice;
    const choice = choices.find((candidate) => candidate === text);
    if (choice) return choice;
    this.problems.push(`${name} must be one of: ${choices.join(', ')}`);
    return defaultChoice;
  }

  /**
   * Reads a variable that holds one of `words`, such as `all`. The variable may hold a number instead, such as `5000`, or `5000:42`
   * with a seed.
   * @returns `wordOrNumber` is undefined if the variable is unset or invalid. `seed` is undefined if no seed is given.
   */
  wordOrNumber<Word extends string>(
    name: VariableName,
    words: readonly Word[],
  ): { wordOrNumber: Word | number | undefined; seed: number | undefined } {
    const text = this.text(name)?.trim() ?? '';
    const { digits, seed } = numberWithSeed.exec(text)?.groups ?? {};
    const word = words.find((candidate) => candidate === text);
    const wordOrNumber = digits === undefined ? word : Number(digits);
    if (text && wordOrNumber === undefined)
      this.problems.push(
        `${name} must be ${words.join(', ')}, a number such as 5000, or 5000:42 with a seed`,
      );
    return { wordOrNumber, seed: seed === undefined ? undefined : Number(seed) };
  }

  isSet(name: FlagName): boolean {
    return this.choice(name) === '1';
  }

  /** Reads a path, and makes it absolute. If the variable is unset, makes `defaultPath` absolute instead. */
  path<Default extends string | undefined>(name: VariableName, defaultPath: Default): string | Default {
    const file = this.text(name) ?? defaultPath;
    if (!file) return defaultPath;
    return path.resolve(resolveCallerPath(file, this.env));
  }

  file(name: VariableName): string | undefined {
    const text = this.text(name);
    if (!text) return undefined;
    const file = resolveCallerPath(text, this.env);
    const reason = explainUnreadable(file);
    if (reason === undefined) return file;
    // The reason is a noun phrase, such as `a file that does not exist`.
    this.problems.push(`${name} names ${reason}`);
    return undefined;
  }
}

/** Returns whether user and password of a URL are validly percent-encoded. */
export function hasDecodableCredentials({ username, password }: URL): boolean {
  try {
    // Throws for a `%` that begins no encoded character.
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** Checks an `http` or `https` URL, and removes its final slashes. If the URL is invalid, describes the mistake in `problems`. */
export function readUrl(rawText: string, problems: string[], name = 'BASE_URL'): string | undefined {
  const text = rawText.trim();
  const problem = findUrlProblem(text);
  if (problem === undefined) return text.replace(/\/+$/, '');
  problems.push(`${name} ${problem}, for example https://api.example.com`);
  return undefined;
}

function findUrlProblem(text: string): string | undefined {
  if (!URL.canParse(text) || /\s/.test(text)) return 'is not a URL: give scheme and host';
  const url = new URL(text);
  if (!hasDecodableCredentials(url)) return 'has a user or password that is not escaped: write % as %25';
  if (!/^https?:$/.test(url.protocol)) return 'must begin with http:// or https://';
  // Even an empty query (`/?`) would swallow the path that each request appends.
  return /[?#]/.test(text) ? 'must not have a query or a fragment' : undefined;
}

/** Parses `API_HEADERS`, such as `{"X-Api-Key":"…"}`. If the text is invalid, returns `{}` and adds a problem. */
export function parseHeaders(text = '{}', problems: string[]): Record<string, string> {
  const headers = parseJson(text)?.value;
  const problem = findHeaderProblem(headers);
  if (!problem) return headers as Record<string, string>;
  problems.push(`API_HEADERS ${problem}; give a JSON object such as {"X-Api-Key":"…"}`);
  return {};
}

function findHeaderProblem(headers: unknown): string | undefined {
  if (!isRecord(headers)) return 'is no JSON object';
  const entries = Object.entries(headers);
  if (!entries.every(([name, value]) => isValidHeader(name, value)))
    return 'has a name or value that HTTP does not allow';
  const names = entries.map(([name]) => name.toLowerCase());
  const forbiddenNames = listReservedHeaders(names);
  // `Accept` is not reserved, because an `AUTH_MODULE` may set it. `API_HEADERS` may not.
  forbiddenNames.push(...names.filter((name) => name === 'accept'));
  if (forbiddenNames.length > 0)
    return `sets ${forbiddenNames.join(', ')}, which only the client itself may set`;
  const hasDuplicate = new Set(names).size < names.length;
  return hasDuplicate ? 'has a header twice' : undefined;
}
