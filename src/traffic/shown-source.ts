import { quoteShellVariable } from '../redact/curl.ts';
import type { RecordedBody } from './entry.ts';
import type { NumberedSource, Position } from './recorded.ts';

/** Name of standard input among sources. */
export const standardInput = '-';

/** Returns the name of a source for a sentence: `standard input` for `-`, any other name unchanged. */
export const formatSourceTitle = (source: string): string =>
  source === standardInput ? 'standard input' : source;

/** Masks a path except for its extensions, `….har.gz`, because the name may identify a person. */
const maskFileName = (source: string): string =>
  `…${/(\.(z?har|ndjson|jsonl|zip|gz))+$/i.exec(source)?.[0] ?? ''}`;

/** Formats a source for reports: its number and its masked name, `[2] ….har`, or `-` for standard input. */
export const formatSource = ({ source, number }: NumberedSource): string =>
  source === standardInput ? source : `[${number}] ${maskFileName(source)}`;

/** Formats the sources that a run or a shard reads. An empty text stands for a source of another shard, and is left out. */
export const formatSources = (sources: readonly string[]): string[] =>
  sources.flatMap((source, index) => (source ? formatSource({ source, number: String(index + 1) }) : []));

/**
 * Builds the shell command that prints the recorded body of an entry, for a person who has the file and sets `RECORDING_2` to its
 * name. Empty if the source is neither a `.har` nor newline-delimited JSON.
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
