/** Formats a number for texts: "1,007". */
export const number = (value: number): string => value.toLocaleString('en');

/** Formats a count with its noun: "1 place", "1,007 places". */
export const counted = (count: number, noun: string): string =>
  `${number(count)} ${count === 1 ? noun : `${noun}s`}`;

/** Formats a repetition: "once", "3 times". */
export const formatTimes = (count: number): string => (count === 1 ? 'once' : `${number(count)} times`);
