import { printable } from '../src/redact/printable.ts';

/** Violated requirement. Its stack has one frame, the line of the contract, so that Playwright prints that line instead of the test's. */
export class UnmetRequirement extends Error {
  override name = 'UnmetRequirement';

  /** @param location file, line and column from the root of the project, such as `spec/openapi.yaml:120:15` */
  constructor(text: string, location?: string) {
    super(printable(text));
    this.stack = location ? `${this.message}\n    at contract (${location})` : this.message;
  }
}

/** Requirement that cannot be judged, because requests were not sent or their responses are inconclusive. */
export class BlockedRequirement extends UnmetRequirement {
  override name = 'BlockedRequirement';
}

/** Gate of the run that did not pass, which is no requirement of the contract. */
export class FailedGate extends UnmetRequirement {
  override name = 'FailedGate';
}
