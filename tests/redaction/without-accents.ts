import { memoize } from '../../schemas/memoize.ts';

/** Letters that no form of Unicode takes apart. */
const letters: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  þ: 'th',
  ı: 'i',
};

/**
 * A text in ASCII: `José` and full-width `Ｊｏｓｅ` become `Jose`, and what is no ASCII letter or digit to anybody a blank.
 * Where something is replaced, letters are small. It is read in short runs: putting any number of accents of one letter in
 * order takes time that is not linear.
 */
export const withoutAccents = (text: string): string =>
  /[^\0-\x7f]/.test(text) ? text.replace(/[^\p{ASCII}]{1,32}/gu, asciiOf) : text;

const asciiOf = memoize((run) =>
  run
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\p{M}\p{Cf}]+/gu, '')
    .replace(/[ßæœøđðłþı]/g, (letter) => letters[letter] ?? '')
    .replace(/[^\p{ASCII}]+/gu, ' '),
);
