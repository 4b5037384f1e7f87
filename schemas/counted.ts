/** Formats a number for texts: "1,007". */
export const formatNumber = (value: number): string => value.toLocaleString('en');

/** Formats a count with its noun: "1 place", "1,007 places". */
export const formatCount = (count: number, noun: string): string =>
  `${formatNumber(count)} ${count === 1 ? noun : `${noun}s`}`;

/** Formats a repetition: "once", "3 times". */
export const formatTimes = (count: number): string => (count === 1 ? 'once' : `${formatNumber(count)} times`);
