/**
 * A draft is a text of this suite with words of a target quoted in it. Whether a word may be shown is known only
 * once every answer of the run was seen; until then the word stands beside what to say instead.
 */
const delimiters = { word: '\uE000', shown: '\uE001', instead: '\uE002', end: '\uE003' };

/** Quotes a word of a target: `shown` is said if the word may be shown, else `instead`. */
export const quote = (word: string, instead: string, shown = word) =>
  [word, shown, instead].some(hasMark)
    ? instead.replace(anyMark, '')
    : `${delimiters.word}${word}${delimiters.shown}${shown}${delimiters.instead}${instead}${delimiters.end}`;

const anyMark = /[\uE000-\uE003]/g;
const hasMark = (text: string) => text.search(anyMark) >= 0;

/** The text of a draft. A quotation that was cut is withheld whole. */
export function render(draft: string, shows: (word: string) => boolean): string {
  const [start = '', ...quotations] = draft.split(delimiters.word);
  return start + quotations.map((quotation) => renderQuotation(quotation, shows)).join('');
}

function renderQuotation(quotation: string, shows: (word: string) => boolean): string {
  const [word = '', shown, instead, rest] = quotation.split(anyMark);
  if (shown === undefined || instead === undefined || rest === undefined) return '(withheld)';
  return (shows(word) ? shown : instead) + rest;
}
