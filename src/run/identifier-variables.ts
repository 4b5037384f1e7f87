import { readSpecText } from '../../schemas/contract/contract.ts';
import type { Target } from '../client/target.ts';

let text: string | undefined;

/**
 * The variables that name identifiers to look up: each `x-identifiers` of `spec/openapi.yaml`. Found in its text, so that
 * what is wrong elsewhere in that document cannot keep an identifier from being read, and hidden.
 */
export const identifierVariables = (): string[] => inContract(/\bx-identifiers["']?: *["']?(\w+)/g);

/** The path of each operation, up to its first parameter. */
export const operationPaths = (): string[] => inContract(/^ *["']?((?:\/[^\s{}:"'/]+)+)[^\s:]*:/gm);

const inContract = (pattern: RegExp) => [
  ...new Set([...textOfContract().matchAll(pattern)].map(([, found = '']) => found)),
];

/** A document that cannot be read is an error of the run, which says so itself. */
function textOfContract(): string {
  try {
    text ??= readSpecText('openapi.yaml');
    return text;
  } catch {
    return '';
  }
}

/** Variables of identifiers that name none, neither themselves nor by their file, in one sentence; empty if all do. */
export function unsetSentence({ identifiers, identifierFiles }: Target): string {
  const isUnset = (name: string) => !identifiers[name]?.length && !identifierFiles[name];
  const unset = Object.keys(identifiers).filter(isUnset).join(', ');
  return unset ? `not set: ${unset}; what only they lead to is not exercised` : '';
}
