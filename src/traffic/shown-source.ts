import { quoteShellVariable } from '../redact/curl.ts';
import type { RecordedBody } from './entry.ts';
import type { NumberedSource, Position } from './recorded.ts';

export const standardInput = '-';

export const formatSourceTitle = (source: string): string =>
  source === standardInput ? 'standard input' : source;

/** Masks a path except for known extensions, `….har.gz`, because a file name may identify a person. */
function maskFileName(source: string): string {
  const [extensions = ''] = /(\.(z?har|ndjson|jsonl|zip|gz))+$/i.exec(source) ?? [];
  return `…${extensions}`;
}

/** Formats a recording for reports: `[2] ….har`, or `-` for standard input. */
export const formatSource = ({ source, number }: NumberedSource): string =>
  source === standardInput ? source : `[${number}] ${maskFileName(source)}`;

/**
 * Formats the recordings of a run, such as `[2] ….har`. An empty string stands for a recording of another shard, and is left out.
 */
export const formatSources = (sources: readonly string[]): string[] =>
  sources.flatMap((source, index) => (source ? formatSource({ source, number: String(index + 1) }) : []));

/**
 * Builds the shell command that prints the body of a recorded response. Whoever runs it sets `RECORDING_2` (`RECORDING_2_7` for the
 * source `2.7`) to the path of the recording. Empty for a recording that is no `.har`, `.ndjson` or `.jsonl`.
 */
export function buildBodyCommand(position: Position, { isBase64, isAttached }: RecordedBody): string {
  const { source, number, index, byte } = position;
  const file = quoteShellVariable(`RECORDING_${number.replace('.', '_')}`);
  const decode = isBase64 ? ' | @base64d' : '';
  if (/\.har$/i.test(source)) {
    const content = `.log.entries[${index}].response.content`;
    return isAttached
      ? `cat -- "$(dirname -- ${file})/$(jq -r '${content}._file' ${file})"`
      : `jq -r '${content}.text${decode}' ${file}`;
  }
  if (!/\.(ndjson|jsonl)$/i.test(source)) return '';
  const member = isBase64 ? `.bodyBase64${decode}` : '.body';
  return `tail -c +${byte + 1} ${file} | head -n 1 | jq -r '${member}'`;
}
