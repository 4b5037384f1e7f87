import { printable } from '../src/redact/printable.ts';

/**
 * Error of a test whose requirement is violated. The only frame of its stack is the violated line of the contract, so that Playwright
 * prints this line and no line of the test. Without a location, the stack has no frame.
 */
export class UnmetRequirement extends Error {
  override name = 'UnmetRequirement';

  /** @param location file, line and column from the root of the project, such as `spec/openapi.yaml:120:15` */
  constructor(text: string, location?: string) {
    super(printable(text));
    this.stack = location ? `${this.message}\n    at contract (${location})` : this.message;
  }
}

/** Error of a test whose requirement cannot be judged, because no request was sent or no response shows whether it is met. */
export class BlockedRequirement extends UnmetRequirement {
  override name = 'BlockedRequirement';
}

/** Error of the test of a gate that did not pass: a condition of the run such as `run/coverage`, and no requirement of the contract. */
export class FailedGate extends UnmetRequirement {
  override name = 'FailedGate';
}

/** Returns whether an error is of a class of this file, by its message as Playwright reports it: `FailedGate: …`. */
export const isFinding = (message: string): boolean =>
  /^(UnmetRequirement|BlockedRequirement|FailedGate): /.test(message);
