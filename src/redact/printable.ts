// Unicode classes Cc (`[^\P{Cc}\n\t]`: without line break and tab), Cf, Zl and Zp.
const unprintablePattern = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Replaces each character on which a terminal or page would act, such as ESC, by `�`. Keeps line breaks and tabs. */
export const printable = (text: string): string => text.replace(unprintablePattern, '\ufffd');

/** Joins the lines of a message into one: "the configuration is wrong:\n- this\n- that" becomes "…wrong: this; that". */
export const joinLines = (message: string): string =>
  message.replace(/:\s*\n\s*- /g, ': ').replace(/\s*\n\s*(- )?/g, '; ');
