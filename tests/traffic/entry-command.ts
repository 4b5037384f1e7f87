import type { ExchangeEntry } from './recorded-entry.ts';
import { sourceInShell } from './shown-source.ts';

/**
 * A shell command that prints a recorded body from the file, in its folder and on the screen of whoever has it; none for
 * other sources.
 */
export function entryCommand({ position, bodyIs, isAttached }: ExchangeEntry): string {
  const { source, index, byte } = position;
  const file = sourceInShell(position);
  const decode = bodyIs === 'raw' ? ' | @base64d' : '';
  if (/\.har$/i.test(source)) {
    const content = `.log.entries[${index}].response.content`;
    return isAttached
      ? `cat -- "$(jq -r '${content}._file' ${file})"`
      : `jq -r '${content}.text${decode}' ${file}`;
  }
  if (!/\.(ndjson|jsonl)$/i.test(source)) return '';
  const member = bodyIs === 'raw' ? `.bodyBase64${decode}` : '.body';
  return `tail -c +${byte + 1} ${file} | head -n 1 | jq -r '${member}'`;
}
