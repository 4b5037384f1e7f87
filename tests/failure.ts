import { printable } from '../src/redact/printable.ts';

/** An error of which reporters show nothing but its text, and the place of the contract that it leads to. */
export class UnmetRequirement extends Error {
  override name = 'UnmetRequirement';

  /** @param location such as `spec/openapi.yaml:120:15`, from the root of the project */
  constructor(text: string, location?: string) {
    super(printable(text));
    this.stack = location ? `${this.message}\n    at contract (${location})` : this.message;
  }
}

/** A requirement that cannot be judged, because requests were not sent or their responses are inconclusive. */
export class BlockedRequirement extends UnmetRequirement {
  override name = 'BlockedRequirement';
}

/** A gate of the run that did not pass. It is no requirement of the contract. */
export class FailedGate extends UnmetRequirement {
  override name = 'FailedGate';
}
