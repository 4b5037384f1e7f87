/** The contract in `spec/` cannot be used: one sentence with file, line and what to do. Never a fault of a target. */
export class ContractError extends Error {
  override name = 'ContractError';
}
