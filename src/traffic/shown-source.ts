import { quoteShellVariable } from '../redact/curl.ts';
import type { RecordedBody } from './entry.ts';
import type { NumberedSource, Position } from './recorded.ts';

/** Name of standard input among sources. */
export const standardInput = '-';

/** Returns the name of a source in a sentence. */
export const formatSourceTitle = (source: string): string =>
  source === standardInput ? 'standard input' : source;

/** Masks a file name except for its extension: the name may identify a person. */
const maskFileName = (source: string): string =>
  `…${/(\.(z?har|ndjson|jsonl|zip|gz))+$/i.exec(source)?.[0] ?? ''}`;

/** Formats a source for a list: its number and its masked name, or `-` for standard input. */
export const formatSource = ({ source, number }: NumberedSource): string =>
  source === standardInput ? source : `[${number}] ${maskFileName(source)}`;

/** Formats the sources of a run or a shard. Sources of other shards are empty. */
export const formatSources = (sources: readonly string[]): string[] =>
  sources.flatMap((source, index) => (source ? formatSource({ source, number: String(index + 1) }) : []));

/**
 * Builds a shell command that prints a recorded body, from the file that a variable names. The command is run by a person who has
 * the file; empty for other formats.
 */
export function buildEntryCommand(position: Position, { isBase64, isAttached }: RecordedBody): string {
  const { source, number, index, byte } = position;
  const file = quoteShellVariable(`RECORDING_${number.replace('.', '_')}`);
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
