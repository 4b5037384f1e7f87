/** Controls of a terminal, and characters that turn the direction of reading or are not seen at all. */
const unprintable = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Text of any origin as it may be shown: what would act on a terminal or a page is seen as `�`. Applied once, to all that is
 * written; line breaks and tabs stay.
 */
export const printable = (text: string): string => text.replace(unprintable, '\ufffd');
