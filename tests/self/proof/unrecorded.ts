import { allFaults } from './faults/index.ts';

/** Names of faults that a recording cannot show, because it does not tell whether the provider should have accepted the request. */
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

/** Returns whether recorded traffic cannot show a fault, given its name such as `getCard: HTTP 500`. */
export const isUnrecorded = (name: string) => {
  const nameWithoutOperation = name.slice(name.indexOf(': ') + 2);
  return unrecordedPatterns.some((pattern) => pattern.test(nameWithoutOperation));
};

export function listUndetectableInRecordings(): string[] {
  const detectableAddresses = new Set(
    allFaults.filter(({ name }) => !isUnrecorded(name)).map(({ breaks }) => breaks),
  );
  const addresses = new Set(allFaults.map(({ breaks }) => breaks));
  return [...addresses].filter((address) => !detectableAddresses.has(address)).sort();
}
