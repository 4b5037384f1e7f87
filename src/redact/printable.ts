// Unicode classes Cc (`[^\P{Cc}\n\t]`: without line break and tab), Cf, Zl and Zp.
const unprintablePattern = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Replaces control and format characters, such as ESC, by `�`. */
export const printable = (text: string): string => text.replace(unprintablePattern, '\ufffd');

/** Joins the lines of a message: "wrong:\n- this\n- that" becomes "wrong: this; that". */
export const joinLines = (message: string): string =>
  message.replace(/:\s*\n\s*- /g, ': ').replace(/\s*\n\s*(- )?/g, '; ');
