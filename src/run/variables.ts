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

/** Splits a comma-separated list: `['a', 'b']` for `a, b,`. */
export const splitList = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/**
 * Reads configuration variables as `variableTable` describes them. Adds a sentence to `problems` for each mistake, and treats an
 * empty or mistaken variable as unset.
 */
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

  /** Reads a number within the bounds of `variableTable`. NaN if the variable is unset and has no default. */
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

  /** Reads a variable with fixed choices. If it is unset or mistaken, returns the first choice. */
  choice<Name extends ChoiceName>(name: Name): ChoiceOf<Name> {
    const choices: readonly ChoiceOf<Name>[] = variableTable[name].choices;
    const text = this.text(name);
    const defaultChoice = choices[0] as ChoiceOf<Name>;
    const choice = choices.find((candidate) => candidate === (text ?? defaultChoice));
    if (!choice) this.problems.push(`${name} must be one of: ${choices.join(', ')}`);
    return choice ?? defaultChoice;
  }

  /** Reads one of `words`, or a number: `5000:42` gives `{ wordOrNumber: 5000, seed: 42 }`. If unset or mistaken, both are undefined. */
  wordOrNumber<Word extends string>(
    name: VariableName,
    words: readonly Word[],
  ): { wordOrNumber: Word | number | undefined; seed: number | undefined } {
    const text = this.text(name)?.trim();
    const [, quantity = '', seed] = /^(\w+)(?::(\d{1,10}))?$/.exec(text ?? '') ?? [];
    const word = words.find((candidate) => candidate === quantity);
    const number = /^\d{1,9}$/.test(quantity) ? Number(quantity) : undefined;
    const wordOrNumber = word ?? number;
    if (text && wordOrNumber === undefined)
      this.problems.push(
        `${name} must be ${[...words, 'a number such as 5000, or 5000:42 with a seed'].join(', ')}`,
      );
    return { wordOrNumber, seed: seed === undefined ? undefined : Number(seed) };
  }

  isSet(name: FlagName): boolean {
    return this.choice(name) === '1';
  }

  /** Resolves a path, or `fallback` if the variable is unset, against the folder in which npm was called. */
  path<Fallback extends string | undefined>(name: VariableName, fallback: Fallback): string | Fallback {
    const file = this.text(name) ?? fallback;
    return file ? path.resolve(resolveCallerPath(file, this.env)) : fallback;
  }

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

/** Returns whether user and password of a URL are validly percent-encoded. False for `https://a%b@host`. */
export function hasDecodableCredentials({ username, password }: URL): boolean {
  try {
    // Throws for a `%` that begins no encoded character.
    for (const part of [username, password]) decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** Returns a valid URL without slashes at its end. For an invalid one, adds a sentence that begins with `name` to `problems`. */
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

/** Parses `API_HEADERS`, such as `{"X-Api-Key":"…"}`. For an invalid value, adds a sentence to `problems`, and returns `{}`. */
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
  // The client sets `Accept`, too. `listReservedHeaders` leaves it out, because a signing module may return the one it received.
  const forbiddenNames = [...listReservedHeaders(names), ...names.filter((name) => name === 'accept')];
  if (forbiddenNames.length > 0)
    return `sets ${forbiddenNames.join(', ')}, which only the client itself may set`;
  return new Set(names).size < names.length ? 'has a header twice' : undefined;
}
