import { variableInShell } from '../redact/curl.ts';
import type { RecordedBody } from './entry.ts';
import type { NumberedSource, Position } from './recorded.ts';

/** The name of standard input among sources. */
export const standardInput = '-';

/** How a source is called in a sentence. */
export const sourceTitle = (source: string): string => (source === standardInput ? 'standard input' : source);

/** What the name of a file ends with: whom it is about may stand in the rest. */
const shownName = (source: string): string =>
  `…${/(\.(z?har|ndjson|jsonl|zip|gz))+$/i.exec(source)?.[0] ?? ''}`;

/** How a source is listed: its number and what may be shown of its name; standard input as `-`. */
export const shownSource = ({ source, number }: NumberedSource): string =>
  source === standardInput ? source : `[${number}] ${shownName(source)}`;

/** How the sources of a run, or of its shard, are listed: those of others are empty. */
export const shownSources = (sources: readonly string[]): string[] =>
  sources.flatMap((source, index) => (source ? shownSource({ source, number: String(index + 1) }) : []));

/**
 * A shell command that prints a recorded body from the file that a variable names, in its folder and on the screen of whoever
 * has it; none for other sources.
 */
export function entryCommand(position: Position, { isBase64, isAttached }: RecordedBody): string {
  const { source, number, index, byte } = position;
  const file = variableInShell(`RECORDING_${number.replace('.', '_')}`);
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
