/** Formats a number with commas between thousands: "1,007". */
export const formatNumber = (value: number): string => value.toLocaleString('en');

/** Formats a number with its noun, such as "1 run". Adds an "s" to the noun for any number but 1: "1,007 runs". */
export const formatCount = (count: number, noun: string): string =>
  `${formatNumber(count)} ${count === 1 ? noun : `${noun}s`}`;

/** Formats how often something happened: "once", "3 times". */
export const formatTimes = (count: number): string => (count === 1 ? 'once' : `${formatNumber(count)} times`);
