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

/** Formats the values of `TRAFFIC` for reports. Leaves out, but counts, empty ones, which are recordings of other shards. */
export const formatSources = (sources: readonly string[]): string[] =>
  sources.flatMap((source, index) => (source ? formatSource({ source, number: String(index + 1) }) : []));

/**
 * Builds the shell command that prints a recorded body. It reads the path of the recording from a variable that the user must set,
 * such as `RECORDING_2_7` for the number `2.7`. Empty for a compressed recording.
 */
export function buildBodyCommand(position: Position, { isBase64, isAttached }: RecordedBody): string {
  const { source, number, index, byte } = position;
  const file = quoteShellVariable(`RECORDING_${number.replace('.', '_')}`);
  const decode = isBase64 ? ' | @base64d' : '';
  const isHar = /\.har$/i.test(source);
  const isLines = /\.(ndjson|jsonl)$/i.test(source);
  if (isHar) {
    const content = `.log.entries[${index}].response.content`;
    return isAttached
      ? `cat -- "$(dirname -- ${file})/$(jq -r '${content}._file' ${file})"`
      : `jq -r '${content}.text${decode}' ${file}`;
  }
  if (!isLines) return '';
  const member = isBase64 ? `.bodyBase64${decode}` : '.body';
  return `tail -c +${byte + 1} ${file} | head -n 1 | jq -r '${member}'`;
}
