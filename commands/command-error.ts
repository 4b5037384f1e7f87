/** Why a command cannot do what it was asked for, in one sentence for people. */
export class CommandError extends Error {
  override name = 'CommandError';
}
