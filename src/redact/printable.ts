/** Pattern of control characters, invisible characters and bidirectional controls (Unicode classes Cc, Cf, Zl, Zp). */
const unprintablePattern = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Replaces characters that would act on a terminal or a page by `�`. Keeps line breaks and tabs. Applied when a text is written.
 */
export const printable = (text: string): string => text.replace(unprintablePattern, '\ufffd');

/** Joins the lines of a message into one: "the configuration is wrong:\n- this\n- that" becomes "…wrong: this; that". */
export const joinLines = (message: string): string =>
  message.replace(/:\s*\n\s*- /g, ': ').replace(/\s*\n\s*(- )?/g, '; ');
