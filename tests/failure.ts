import { printable } from '../src/redact/printable.ts';

/**
 * Error of a violated requirement. Its stack is one frame, the line of the contract that is violated, so that Playwright prints that
 * line and not one of the test. Without a location, there is no frame.
 */
export class UnmetRequirement extends Error {
  override name = 'UnmetRequirement';

  /** @param location file, line and column from the root of the project, such as `spec/openapi.yaml:120:15` */
  constructor(text: string, location?: string) {
    super(printable(text));
    this.stack = location ? `${this.message}\n    at contract (${location})` : this.message;
  }
}

/** Error of a requirement that cannot be judged, because requests were not sent or their responses are inconclusive. */
export class BlockedRequirement extends UnmetRequirement {
  override name = 'BlockedRequirement';
}

/** Error of a failed gate, such as `run/coverage`: a condition of the run that is not a requirement of the contract. */
export class FailedGate extends UnmetRequirement {
  override name = 'FailedGate';
}

/** Returns whether the message of an error, as Playwright reports it, is that of a class of this file. */
export const isFinding = (message: string): boolean =>
  /^(UnmetRequirement|BlockedRequirement|FailedGate): /.test(message);
