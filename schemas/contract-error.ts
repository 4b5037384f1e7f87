/** The contract itself is unusable: the message says where and why. Never a fault of a target. */
export class ContractError extends Error {
  override name = 'ContractError';
}
