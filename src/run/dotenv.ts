import { lstatSync } from 'node:fs';
import { parseEnv, TextDecoder } from 'node:util';
import { readRegularFile, UnreadableFile } from '../client/files.ts';

/** A variable of `.env`, and the line that it begins on, from 1. */
export interface DotenvEntry {
  name: string;
  value: string;
  line: number;
}

/** What `.env` sets, and what is wrong with it: one sentence for each mistake, with none of its text. */
interface Dotenv {
  entries: DotenvEntry[];
  problems: string[];
}

/** Reads `.env`, as Node does where nothing is wrong; none sets nothing. */
export function readDotenv(file: string): Dotenv {
  if (!lstatSync(file, { throwIfNoEntry: false })) return { entries: [], problems: [] };
  try {
    // Without the mark that some editors put at its beginning.
    const text = new TextDecoder().decode(readRegularFile(file));
    return parseDotenv(text.replaceAll('\r\n', '\n'));
  } catch (error) {
    const reason = error instanceof UnreadableFile ? error.message : 'a file that cannot be read';
    return { entries: [], problems: [`.env is ${reason}; correct or remove it`] };
  }
}

const comment = /[ \t]*(?:#[^\n]*)?(?:\n|$)/.source;
const assigned = /[ \t]*(?:export[ \t]+)?(?<name>[\w.-]+)[ \t]*=[ \t]*/.source;
const quoted = /(?<quoted>"[^"]*"|'[^']*'|`[^`]*`)/.source;
const plain = /(?<plain>(?![ \t"'`])[^\n]*)(?:\n|$)/.source;
const other = /[^\n]*\n?/.source;

/** Takes a text apart without a gap: comments, entries, each up to the end of its quotes or its line, and other lines. */
const pieces = new RegExp(`${comment}|${assigned}(?:${quoted}${comment}|${plain})|(?<other>${other})`, 'g');

function parseDotenv(text: string): Dotenv {
  const entries: DotenvEntry[] = [];
  const problems: string[] = [];
  let line = 1;
  for (const [piece, name, inQuotes, unquoted, wrong] of text.matchAll(pieces)) {
    if (wrong) problems.push(`.env, line ${line}: ${problemOf(wrong)}`);
    else if (name) entries.push({ name, value: readValue(inQuotes ?? unquoted ?? ''), line });
    line += piece.split('\n').length - 1;
  }
  // Another file than was meant has a mistake on each line.
  return { entries, problems: problems.slice(0, 20) };
}

/** What is wrong with a piece, without any of its text, which may be a piece of a secret. */
const problemOf = (wrong: string): string =>
  /^[^"'`=]*=[ \t]*["'`]/.test(wrong)
    ? 'the quote around the value is not closed at its end: close it there'
    : 'neither NAME=value nor a comment: correct or remove it';

/** Quotes, line breaks written as `\n` and comments, as Node reads them. */
const readValue = (text: string): string => parseEnv(`VALUE=${text}\n`).VALUE ?? '';
