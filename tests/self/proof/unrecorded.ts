import { allFaults } from './faults/index.ts';

/** Names of faults that turn a response into one without evidence in a recording, since the request may have been wrong. */
const unrecordedPatterns = [
  /^HTTP (301|302|500)$/,
  /^forbids business only$/,
  /^does not know the second record/,
  /^rejects in HTTP 200$/,
  /^the (third|last) page as HTTP 500$/,
  /^rejects \w+ with HTTP (400|404)$/,
  /^rejects every parameter together$/,
  // A recorded lookup without a record is not judged.
  /^listed, and answered with HTTP (404|410|200 and code 40401)/,
];

/** Checks the name of a fault without its operation. */
export const isUnrecorded = (name: string) =>
  unrecordedPatterns.some((pattern) => pattern.test(name.slice(name.indexOf(': ') + 2)));

/** Lists the addresses of the requirements that no recording can break, sorted. */
export function listUnbreakableInRecordings(): string[] {
  const breakableAddresses = new Set(
    allFaults.filter(({ name }) => !isUnrecorded(name)).map(({ breaks }) => breaks),
  );
  const addresses = new Set(allFaults.map(({ breaks }) => breaks));
  return [...addresses].filter((address) => !breakableAddresses.has(address)).sort();
}
