import { allFaults } from './faults/index.ts';

/** Patterns for names of faults that recorded traffic cannot show, such as `HTTP 500`. */
const undetectableNames = [
  // A recorded error does not tell whether the provider should have accepted the request.
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

/** Returns true if recorded traffic cannot show this fault, such as `getCard: HTTP 500`. */
export const isUndetectableInRecordings = (name: string) => {
  const nameWithoutOperation = name.slice(name.indexOf(': ') + 2);
  return undetectableNames.some((pattern) => pattern.test(nameWithoutOperation));
};

/** Lists the requirements whose faults cannot be seen in recorded traffic. */
export function listUndetectableInRecordings(): string[] {
  const detectableFaults = allFaults.filter(({ name }) => !isUndetectableInRecordings(name));
  const detectableAddresses = new Set(detectableFaults.map(({ breaks }) => breaks));
  const addresses = new Set(allFaults.map(({ breaks }) => breaks));
  return [...addresses].filter((address) => !detectableAddresses.has(address)).sort();
}
