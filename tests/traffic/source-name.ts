import { fromCaller } from '../configuration/caller-folder.ts';

/** The name of standard input among sources. */
export const standardInput = '-';

/** A source that the caller names, as the process finds it; standard input stays. */
export const sourceFromCaller = (source: string): string =>
  source === standardInput ? source : fromCaller(source);

/** How a source is called in a sentence. */
export const sourceTitle = (source: string): string => (source === standardInput ? 'standard input' : source);
