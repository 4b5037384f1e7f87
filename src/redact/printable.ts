// Unicode classes Cc (`[^\P{Cc}\n\t]`: without line break and tab), Cf, Zl and Zp.
const unprintablePattern = /[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Replaces control and format characters, such as ESC, by `�`. Keeps `\n` and `\t`. */
export const printable = (text: string): string => text.replace(unprintablePattern, '\ufffd');

/** Joins the lines of a message into one line: `wrong:\n- this\n- that` becomes `wrong: this; that`. */
export const joinLines = (message: string): string =>
  message.replace(/:\s*\n\s*- /g, ': ').replace(/\s*\n\s*(- )?/g, '; ');
