/** Control characters, and characters that change the direction of text or are invisible. */
const unprintable = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Text of any origin as it may be shown: `�` stands for what would act on a terminal or a page. Line breaks and tabs stay.
 * Applied where a text is written.
 */
export const printable = (text: string): string => text.replace(unprintable, '\ufffd');

/** A message with a list in it as one sentence: "the configuration is wrong: this; that". */
export const oneLine = (message: string): string =>
  message.replace(/:\s*\n\s*- /g, ': ').replace(/\s*\n\s*(- )?/g, '; ');
