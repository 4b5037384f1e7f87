import { memoize } from '../../schemas/memoize.ts';
import type { RecordedBody } from './entry.ts';
import type { NumberedSource, Position } from './recorded.ts';

/** The name of standard input among sources. */
export const standardInput = '-';

/** How a source is called in a sentence. */
export const sourceTitle = (source: string): string => (source === standardInput ? 'standard input' : source);

/** What a file of recorded traffic is called by anybody: such words say nothing of whom it is about. */
const commonWords = new Set(
  (
    'har zhar gz zip ndjson jsonl json log logs txt session sessions export exports traffic recording recordings record ' +
    'recorded capture captures proxy mitm mitmproxy playwright browser chrome firefox edge safari charles fiddler network ' +
    'api prod production staging stage test tests testing dev development qa uat demo sandbox local mock live canary ' +
    'release smoke load nightly daily hourly weekly hour day week month first second third last old new before after ' +
    'conforming faulty attach embed omit whole cut part case ticket request requests response responses lookup lookups ' +
    'list page pages card cards customer customers fee fees rule rules'
  ).split(' '),
);

/** Times of this century, words with a number behind them, and what stands between them. */
const pieces =
  /(?<![A-Za-z\d])20\d\d-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])(?:T[\d:.-]{2,15}Z?)?(?![A-Za-z\d])|([A-Za-z]+)(?:[-_]?\d{1,2})?(?![A-Za-z\d])|[-_.*? ]/g;

/** The name of a file with all withheld that may say something of a person or a record, and without its folder. */
export const shownName = memoize((source: string): string => {
  const name = source.split(/[/\\]/).pop() ?? '';
  let shown = '';
  let end = 0;
  for (const { 0: piece, 1: word, index } of name.matchAll(pieces)) {
    const isShown = word === undefined || commonWords.has(word.toLowerCase());
    shown += (index > end ? '…' : '') + (isShown ? piece : '…');
    end = index + piece.length;
  }
  return (shown + (end < name.length ? '…' : '')).replace(/…(?:[-_.*? ]*…)+/g, '…');
});

/** How a source is listed: its number and what may be shown of its name; standard input as `-`. */
export const shownSource = ({ source, number }: NumberedSource): string =>
  source === standardInput ? source : `[${number}] ${shownName(source)}`;

/** A file for a shell in its folder; where its name is withheld, a variable that whoever has it sets. */
export const sourceInShell = ({ source, number }: NumberedSource): string =>
  /[…*?]/.test(shownName(source)) ? `"$RECORDING_${number.replace('.', '_')}"` : `'${shownName(source)}'`;

/**
 * A shell command that prints a recorded body from the file, in its folder and on the screen of whoever has it; none for
 * other sources.
 */
export function entryCommand(position: Position, { isBase64, isAttached }: RecordedBody): string {
  const { source, index, byte } = position;
  const file = sourceInShell(position);
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
