/** The place from which a source cannot be read. The message is ours: nothing of the source is in it. */
export class BrokenText extends Error {
  /** Undefined for as far as it was read. */
  readonly byte: number | undefined;

  constructor(reason: string, byte?: number) {
    super(reason);
    this.byte = byte;
  }
}

const reasons: Record<string, string> = {
  ENOENT: 'no such file',
  EISDIR: 'is a directory',
  EACCES: 'may not be read',
};

/** Whether a source is not there, or is none that may be read: what names it is wrong. */
export const isNoSource = (reason: string) => Object.values(reasons).includes(reason);

/** What is wrong with a source, and where, unless that is its start or the source itself. */
export const brokenSentence = ({ reason, byte }: { reason: string; byte: number }): string =>
  byte > 0 ? `${reason} at byte ${byte}` : reason;

/** What an error of Node means for a source that was read so far. @throws any other error, since it is a mistake of this suite. */
export function asBrokenText(error: unknown, byte: number): BrokenText {
  if (error instanceof BrokenText) return new BrokenText(error.message, error.byte ?? byte);
  const { code } = error as NodeJS.ErrnoException;
  if (typeof code !== 'string' || code.startsWith('ERR_INVALID')) throw error;
  const reason = code.startsWith('Z_') ? 'its compression is broken or cut' : reasons[code];
  return new BrokenText(reason ?? `could not be read (${code})`, byte);
}
