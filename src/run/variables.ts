import path from 'node:path';
import { isRecord, parse } from '../../schemas/json.ts';
import { unreadableReason } from '../client/files.ts';
import { isHeader, reservedHeaders } from '../client/signing.ts';
import { fromCaller } from './caller-folder.ts';
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

/** Comma-separated values. */
export const split = (text: string) =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean);

/** Reads variables as their table says; what is wrong with them is added to `problems`. An empty one is not set. */
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

  /** A number within its bounds; without one the default, or else NaN. */
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

  /** One of its choices, of which the first is the default. */
  choice<Name extends ChoiceName>(name: Name): ChoiceOf<Name> {
    const choices: readonly ChoiceOf<Name>[] = variableTable[name].choices;
    const text = this.text(name);
    const usual = choices[0] as ChoiceOf<Name>;
    const choice = choices.find((known) => known === (text ?? usual));
    if (!choice) this.problems.push(`${name} must be one of: ${choices.join(', ')}`);
    return choice ?? usual;
  }

  /** How many, and a seed behind a colon: `5000:42`. What else may stand in place of the number is named. */
  seeded<Word extends string>(
    name: VariableName,
    words: readonly Word[],
  ): { count: number | Word | undefined; seed: number | undefined } {
    const text = this.text(name)?.trim();
    const [, given, seed] = /^(\w+)(?::(\d{1,10}))?$/.exec(text ?? '') ?? [];
    const word = words.find((one) => one === given);
    const count = word ?? (/^\d{1,9}$/.test(given ?? '') ? Number(given) : undefined);
    if (text && count === undefined)
      this.problems.push(
        `${name} must be ${[...words, 'a number such as 5000, or 5000:42 with a seed'].join(', ')}`,
      );
    return { count, seed: seed === undefined ? undefined : Number(seed) };
  }

  isSet(name: FlagName): boolean {
    return this.choice(name) === '1';
  }

  /** An absolute path. */
  path<Fallback extends string | undefined>(name: VariableName, fallback: Fallback): string | Fallback {
    const file = this.text(name) ?? fallback;
    return file ? path.resolve(fromCaller(file, this.env)) : fallback;
  }

  /** The path of a file that can be read. */
  file(name: VariableName): string | undefined {
    const given = this.text(name);
    if (!given) return undefined;
    const file = fromCaller(given, this.env);
    const reason = unreadableReason(file);
    if (reason === undefined) return file;
    this.problems.push(`${name} names ${reason}`);
    return undefined;
  }
}

/** Whether an address can be asked: its user and its password must each be escaped as a URL's are. */
export function isUrl(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    return [username, password].every((part) => decodeURIComponent(part) !== undefined);
  } catch {
    return false;
  }
}

/** An address without a slash at its end; what is wrong with it is added to the problems. */
export function readUrl(padded: string, problems: string[], name = 'BASE_URL'): string | undefined {
  const problem = (reason: string) =>
    void problems.push(`${name} ${reason}, for example https://api.example.com`);
  const text = padded.trim();
  if (!URL.canParse(text) || /\s/.test(text)) return problem('is not a URL: give scheme and host');
  if (!isUrl(text)) return problem('has a user or password that is not escaped: write % as %25');
  if (!/^https?:$/.test(new URL(text).protocol)) return problem('must begin with http:// or https://');
  // An empty one, as in `/?`, would swallow each path that is put behind it.
  if (/[?#]/.test(text)) return problem('must not have a query or a fragment');
  return text.replace(/\/+$/, '');
}

/** The headers of API_HEADERS. */
export function readHeaders(text = '{}', problems: string[]): Record<string, string> {
  const headers = parse(text)?.value;
  const problem = problemOf(headers);
  if (!problem) return headers as Record<string, string>;
  problems.push(`API_HEADERS ${problem}; give a JSON object such as {"X-Api-Key":"…"}`);
  return {};
}

function problemOf(headers: unknown): string | undefined {
  if (!isRecord(headers)) return 'is no JSON object';
  const entries = Object.entries(headers);
  if (!entries.every(([name, value]) => isHeader(name, value)))
    return 'has a name or value that HTTP does not allow';
  const names = entries.map(([name]) => name.toLowerCase());
  // The client sets it for each request; a module may return what it was given.
  const reserved = [...reservedHeaders(names), ...names.filter((name) => name === 'accept')];
  if (reserved.length > 0) return `sets ${reserved.join(', ')}, which only the client itself may set`;
  return new Set(names).size < names.length ? 'has a header twice' : undefined;
}
