const timestamp = /^(\d{4}-\d\d-\d\d)[Tt\s](\d\d:\d\d):(\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)$/i;

/**
 * A timestamp of RFC 3339 as it is compared: the same for each way to write one time, with any offset and however
 * many zeros end it. Seconds stay beside the minute, since one of them may be a leap second.
 */
export function comparableTime(text: string): string {
  const [, date, minute, second, fraction = '', offset] = timestamp.exec(text) ?? [];
  const time = Date.parse(`${date}T${minute}${offset?.toUpperCase()}`);
  return Number.isNaN(time) ? text : `${time} ${second}.${withoutEndingZeros(fraction)}`;
}

/** A loop, since a regular expression would begin anew at each zero of many. */
function withoutEndingZeros(digits: string): string {
  let end = digits.length;
  while (end > 0 && digits[end - 1] === '0') end -= 1;
  return digits.slice(0, end);
}
