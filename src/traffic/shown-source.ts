import { quoteShellVariable } from '../redact/curl.ts';
import type { RecordedBody } from './entry.ts';
import type { NumberedSource, Position } from './recorded.ts';

export const standardInput = '-';

export const formatSourceTitle = (source: string): string =>
  source === standardInput ? 'standard input' : source;

/** Hides the name of a recording, which may identify a person: `anna.smith.har.gz` becomes `….har.gz`. */
function maskFileName(source: string): string {
  const [extensions = ''] = /(\.(z?har|ndjson|jsonl|zip|gz))+$/i.exec(source) ?? [];
  return `…${extensions}`;
}

/** Formats the number and the extension of a recording for reports: `[2] ….har`. Standard input is shown as `-`. */
export const formatSource = ({ source, number }: NumberedSource): string =>
  source === standardInput ? source : `[${number}] ${maskFileName(source)}`;

/**
 * Formats the values of `TRAFFIC` for reports. Empty values are counted, but left out: `['a.har', '', 'b.zip']` becomes
 * `['[1] ….har', '[3] ….zip']`.
 */
export function formatSources(sources: readonly string[]): string[] {
  const formattedSources: string[] = [];
  for (const [index, source] of sources.entries()) {
    const number = String(index + 1);
    // In a shard, the values of recordings that other shards read are empty, so that the numbers stay the same.
    if (source !== '') formattedSources.push(formatSource({ source, number }));
  }
  return formattedSources;
}

/**
 * Builds a shell command that prints a recorded response body: `jq -r '.log.entries[3].response.content.text' "${RECORDING_2:?}"`.
 * The variable `RECORDING_2` must hold the path of the recording with the number 2.
 * @param body body to print. If `isBase64` is set, the command decodes the recorded text. If `isAttached` is set, the command
 *   prints the file in which the HAR stores the body.
 * @returns `''` if the name of the recording does not end in `.har`, `.ndjson` or `.jsonl`
 */
export function buildBodyCommand(position: Position, body: RecordedBody): string {
  const { source, number, index, byteOffset } = position;
  const quotedVariable = quoteShellVariable(`RECORDING_${number.replace('.', '_')}`);
  if (harName.test(source)) return buildHarBodyCommand(quotedVariable, index, body);
  if (jsonLinesName.test(source)) return buildLineBodyCommand(quotedVariable, byteOffset, body);
  return '';
}

const harName = /\.har$/i;
const jsonLinesName = /\.(ndjson|jsonl)$/i;
const base64Filter = ' | @base64d';

function buildHarBodyCommand(
  quotedVariable: string,
  index: number,
  { isBase64, isAttached }: RecordedBody,
): string {
  const content = `.log.entries[${index}].response.content`;
  if (isAttached)
    return `cat -- "$(dirname -- ${quotedVariable})/$(jq -r '${content}._file' ${quotedVariable})"`;
  const decoding = isBase64 ? base64Filter : '';
  return `jq -r '${content}.text${decoding}' ${quotedVariable}`;
}

function buildLineBodyCommand(
  quotedVariable: string,
  byteOffset: number,
  { isBase64 }: RecordedBody,
): string {
  const body = isBase64 ? `.bodyBase64${base64Filter}` : '.body';
  // `tail -c` counts bytes from 1.
  const firstByte = byteOffset + 1;
  return `tail -c +${firstByte} ${quotedVariable} | head -n 1 | jq -r '${body}'`;
}
