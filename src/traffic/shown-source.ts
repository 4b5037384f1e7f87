import { quoteShellVariable } from '../redact/curl.ts';
import type { RecordedBody } from './entry.ts';
import type { NumberedSource, Position } from './recorded.ts';

export const standardInput = '-';

export const formatSourceTitle = (source: string): string =>
  source === standardInput ? 'standard input' : source;

/** Replaces a path by `…` and its known extensions, such as `….har.gz`, because a file name may identify a person. */
function maskFileName(source: string): string {
  const [extensions = ''] = /(\.(z?har|ndjson|jsonl|zip|gz))+$/i.exec(source) ?? [];
  return `…${extensions}`;
}

/** Formats the name of a recording for reports: `[2] ….har`, or `-` for standard input. */
export const formatSource = ({ source, number }: NumberedSource): string =>
  source === standardInput ? source : `[${number}] ${maskFileName(source)}`;

/**
 * Formats the values of `TRAFFIC` for reports: `[2] ….har` for the second one. Leaves out empty strings, which stand for recordings
 * of other shards, but counts them.
 */
export const formatSources = (sources: readonly string[]): string[] =>
  sources.flatMap((source, index) => (source ? formatSource({ source, number: String(index + 1) }) : []));

/**
 * Builds the shell command that prints the body of a recorded response. The command reads the path of the recording from an
 * environment variable, which the user must set: for example, `RECORDING_2` for the recording with the number `2`, or
 * `RECORDING_2_7` for `2.7`. Empty for a recording that is no `.har`, `.ndjson` or `.jsonl`.
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
