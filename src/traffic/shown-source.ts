import { quoteShellVariable } from '../redact/curl.ts';
import type { RecordedBody } from './entry.ts';
import type { NumberedSource, Position } from './recorded.ts';

export const standardInput = '-';

export const formatSourceTitle = (source: string): string =>
  source === standardInput ? 'standard input' : source;

/** Keeps only known extensions, such as `….har.gz`, because a file name may identify a person. */
function maskFileName(source: string): string {
  const [extensions = ''] = /(\.(z?har|ndjson|jsonl|zip|gz))+$/i.exec(source) ?? [];
  return `…${extensions}`;
}

/** Formats a recording for reports: `[2] ….har`, or `-` for standard input. */
export const formatSource = ({ source, number }: NumberedSource): string =>
  source === standardInput ? source : `[${number}] ${maskFileName(source)}`;

/** Formats the values of `TRAFFIC` for reports. Omits an empty value, which stands for a recording of another shard. */
export const formatSources = (sources: readonly string[]): string[] =>
  sources.flatMap((source, index) => (source ? formatSource({ source, number: String(index + 1) }) : []));

/**
 * Builds the shell command that prints a recorded body; empty unless the file is a `.har`, `.ndjson` or `.jsonl`. The user must set
 * a variable to the path of the file: `RECORDING_2_7` if `position.number` is `2.7`.
 */
export function buildBodyCommand(position: Position, { isBase64, isAttached }: RecordedBody): string {
  const { source, number, index, byte } = position;
  const file = quoteShellVariable(`RECORDING_${number.replace('.', '_')}`);
  const decodeFilter = isBase64 ? ' | @base64d' : '';
  const isHar = /\.har$/i.test(source);
  const isLines = /\.(ndjson|jsonl)$/i.test(source);
  if (isHar) {
    const content = `.log.entries[${index}].response.content`;
    return isAttached
      ? `cat -- "$(dirname -- ${file})/$(jq -r '${content}._file' ${file})"`
      : `jq -r '${content}.text${decodeFilter}' ${file}`;
  }
  if (!isLines) return '';
  const member = isBase64 ? `.bodyBase64${decodeFilter}` : '.body';
  return `tail -c +${byte + 1} ${file} | head -n 1 | jq -r '${member}'`;
}
