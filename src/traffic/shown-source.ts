import { variableInShell } from '../redact/curl.ts';
import type { RecordedBody } from './entry.ts';
import type { NumberedSource, Position } from './recorded.ts';

/** The name of standard input among sources. */
export const standardInput = '-';

/** How a source is called in a sentence. */
export const sourceTitle = (source: string): string => (source === standardInput ? 'standard input' : source);

/** What a file of recorded traffic is called by anybody: such words say nothing of whom it is about. */
const commonWords = new Set(
  (
    'session sessions traffic recording recordings recorded capture export network browser chrome firefox playwright ' +
    'mitmproxy charles fiddler staging production nightly test embed attach omit conforming faulty cut *'
  ).split(' '),
);

const extension = /(\.(z?har|ndjson|jsonl|zip|gz))+$/i;
const time = /20\d\d-[01]\d-[0-3]\d(T[\d-]{2,8}Z?)?/;

/** The name of a file without its folder, where it is made of common words and a time; else only what it ends with. */
export function shownName(source: string): string {
  const name = source.split(/[/\\]/).pop() ?? '';
  const [end = ''] = extension.exec(name) ?? [];
  const pieces = name
    .slice(0, name.length - end.length)
    .replace(time, '')
    .split(/[-_. ]/);
  const isCommon = (piece: string) => commonWords.has(piece.toLowerCase().replace(/\d{1,2}$/, ''));
  return pieces.every((piece) => piece === '' || isCommon(piece)) ? name : `…${end}`;
}

/** How a source is listed: its number and what may be shown of its name; standard input as `-`. */
export const shownSource = ({ source, number }: NumberedSource): string =>
  source === standardInput ? source : `[${number}] ${shownName(source)}`;

/** A file for a shell in its folder; where its name is withheld, a variable that whoever has it sets. */
export const sourceInShell = ({ source, number }: NumberedSource): string =>
  /[…*?]/.test(shownName(source))
    ? variableInShell(`RECORDING_${number.replace('.', '_')}`)
    : `'${shownName(source)}'`;

/**
 * A shell command that prints a recorded body from the file, in its folder and on the screen of whoever has it; none for
 * other sources.
 */
export function entryCommand(position: Position, { isBase64, isAttached }: RecordedBody): string {
  const { source, index, byte } = position;
  const file = sourceInShell(position);
  const decode = isBase64 ? ' | @base64d' : '';
  if (/\.har$/i.test(source)) {
    const content = `.log.entries[${index}].response.content`;
    return isAttached
      ? `cat -- "$(jq -r '${content}._file' ${file})"`
      : `jq -r '${content}.text${decode}' ${file}`;
  }
  if (!/\.(ndjson|jsonl)$/i.test(source)) return '';
  const member = isBase64 ? `.bodyBase64${decode}` : '.body';
  return `tail -c +${byte + 1} ${file} | head -n 1 | jq -r '${member}'`;
}
