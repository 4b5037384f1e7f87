import { closest, distance } from 'fastest-levenshtein';
import { loadContractOrError } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/files.ts';
import { listIdentifierNames } from './identifier-variables.ts';
import { type Environment, variableTable } from './variable-table.ts';

/** Returns the names of all variables of a run. */
export const listVariableNames = (): string[] =>
  Object.keys(variableTable).toSpliced(2, 0, ...listIdentifierNames());

/** Names of other programs: loggers, which a run rejects; `CI`; and proxies in lower case. */
const otherNames = ['DEBUG', 'NODE_DEBUG', 'PWDEBUG', 'CI', 'http_proxy', 'https_proxy', 'no_proxy'];

/** Returns every name that `.env` may set. */
export const listKnownNames = (): string[] => [...listVariableNames(), ...otherNames];

const fold = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toUpperCase();

/** Finds the variable that a misspelt name resembles; undefined if there is none. */
const findMeantVariable = (name: string): string | undefined =>
  listKnownNames().includes(name)
    ? undefined
    : listVariableNames().find((right) => isNear(fold(right), fold(name)));

/** Checks that two names differ in one letter, or in the order of two letters. */
const isNear = (right: string, name: string) =>
  distance(right, name) <= (sorted(right) === sorted(name) ? 2 : 1);

const sorted = (name: string) => [...name].sort().join();

/** Reports names of the environment that resemble a variable. Any other name may belong to another program. */
export const nameNotices = (env: Environment): string[] =>
  Object.keys(env).flatMap((name) => {
    const right = env[name] ? findMeantVariable(name) : undefined;
    return right ? [`${name} is set, which nothing reads: did you mean ${right}?`] : [];
  });

/**
 * Reports signs that a run without an address was meant for another target than the mock.
 * @param notices results of `nameNotices`, which end in the variable that was meant, such as "did you mean BASE_URL?"
 */
export const findAddressProblems = ({ TARGET_NAME }: Environment, notices: string[]): string[] => [
  ...notices.filter((notice) => / (BASE_URL|TRAFFIC)\?$/.test(notice)),
  ...(TARGET_NAME
    ? ['TARGET_NAME names a target, and BASE_URL is not set: set it, to mock for the embedded mock']
    : []),
];

/**
 * Reports names of `.env` that are no variables. An AUTH_MODULE may read variables of its own there. A contract that cannot be read
 * declares no variables of identifiers: the run reports the contract instead.
 */
export function nameProblems(names: string[], { AUTH_MODULE }: Environment): string[] {
  if (loadContractOrError() instanceof ContractError) return [];
  const unknown = names.filter((name) => !listKnownNames().includes(name));
  return unknown.flatMap((name) => {
    if (name === 'NODE_EXTRA_CA_CERTS')
      return [`.env sets ${name}, which Node reads before .env: set it in the environment`];
    const right = findMeantVariable(name);
    if (AUTH_MODULE && !right && isName(name)) return [];
    const subject = isName(name) && (right || isPlain(name)) ? `${name}, which` : 'a name that';
    const hint = right ?? closest(name.toUpperCase(), listVariableNames());
    return [`.env sets ${subject} is no variable of this suite: did you mean ${hint}?`];
  });
}

/** Checks that a name is the name of a variable: Node takes the text of a line without `=` for a part of the next name. */
const isName = (name: string) => /^[\w.-]+$/.test(name);

/** Checks that a message can show a name. A line of a key in several lines may look like a name, and is a secret. */
const isPlain = (name: string) => /^([A-Z_]{1,30}|[a-z_]{1,30})$/.test(name);
