import type { ExchangeEntry } from './recorded-entry.ts';

/** A shell command that prints a recorded body from the file, on the screen of whoever has it; none for other sources. */
export function entryCommand({ position, bodyIs }: ExchangeEntry): string {
  const { source, index, byte } = position;
  const file = `'${source.replaceAll("'", `'\\''`)}'`;
  const decode = bodyIs === 'raw' ? ' | @base64d' : '';
  if (/\.har$/i.test(source)) return `jq -r '.log.entries[${index}].response.content.text${decode}' ${file}`;
  if (!/\.(ndjson|jsonl)$/i.test(source)) return '';
  const member = bodyIs === 'raw' ? `.bodyBase64${decode}` : '.body';
  return `tail -c +${byte + 1} ${file} | head -n 1 | jq -r '${member}'`;
}
