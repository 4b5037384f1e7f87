/** A number as texts show it: "1,007". */
export const number = (value: number): string => value.toLocaleString('en');

/** "1 place", "1,007 places". */
export const counted = (count: number, noun: string): string =>
  `${number(count)} ${count === 1 ? noun : `${noun}s`}`;

/** How often: "once", "3 times". */
export const times = (count: number): string => (count === 1 ? 'once' : `${number(count)} times`);
