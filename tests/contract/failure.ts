import { printable } from '../../src/redact/printable.ts';

/** An error whose text is all that is shown of it. */
export class BrokenRequirement extends Error {
  override name = 'BrokenRequirement';

  constructor(text: string) {
    super(printable(text));
    this.stack = this.message;
  }
}

/** A gate of the run that did not pass: no requirement of the contract. */
export class FailedGate extends BrokenRequirement {
  override name = 'FailedGate';
}
