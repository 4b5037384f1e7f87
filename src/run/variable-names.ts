import { closest, distance } from 'fastest-levenshtein';
import { loadContractOrError } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/files.ts';
import { listIdentifierNames } from './identifier-variables.ts';
import { type Environment, variableTable } from './variable-table.ts';

/**
 * Returns the names of all configuration variables, in the order of the documentation. Those of identifiers, such as `CARD_IDS`,
 * come after `TARGET_NAME`.
 */
export const listVariableNames = (): string[] =>
  Object.keys(variableTable).toSpliced(2, 0, ...listIdentifierNames());

/** Names of variables of other programs that a run reads as well: `CI`, proxies in lower case, and loggers that it may reject. */
const otherNames = ['DEBUG', 'NODE_DEBUG', 'PWDEBUG', 'CI', 'http_proxy', 'https_proxy', 'no_proxy'];

/** Returns every name that `.env` may set: configuration variables, and `otherNames`. */
export const listKnownNames = (): string[] => [...listVariableNames(), ...otherNames];

/**
 * Folds a name for comparison: removes everything but letters and digits, in upper case. So `base-url` becomes `BASEURL`, as
 * `BASE_URL` does.
 */
const fold = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toUpperCase();

/**
 * Finds the configuration variable that a misspelt name resembles: `BASE_URL` for `BASEURL`, `REQUEST_TIMEOUT_MS` for
 * `REQUEST_TIMEOUT`. Undefined if no variable resembles it, or if the name is right.
 * @param variableNames result of `listVariableNames`, which reads the contract
 */
const findMeantVariable = (name: string, variableNames: string[]): string | undefined =>
  [...variableNames, ...otherNames].includes(name)
    ? undefined
    : variableNames.find((right) => isNear(fold(right), fold(name)) || lacksUnit(right, name));

/**
 * Returns whether a name of several words is a variable without its last words: `MAX_BODY` for `MAX_BODY_MB`, but not `USER` for
 * `USER_IDS`.
 * @param right name of the variable
 */
const lacksUnit = (right: string, name: string) => name.includes('_') && right.startsWith(`${name}_`);

/** Returns whether two names differ in at most one letter, or in the place of one letter: two are swapped, or one is moved. */
function isNear(right: string, name: string): boolean {
  const hasSameLetters = sortLetters(right) === sortLetters(name);
  // A swapped or moved letter counts as two changes.
  return distance(right, name) <= (hasSameLetters ? 2 : 1);
}

const sortLetters = (name: string) => [...name].sort().join();

/**
 * Formats a warning for each name in the environment that is likely a typo of a configuration variable: "BASEURL is set, which
 * nothing reads: did you mean BASE_URL?". Ignores any other name, because another program may use it.
 */
export function findNameNotices(env: Environment): string[] {
  const variableNames = listVariableNames();
  return Object.keys(env).flatMap((name) => {
    const right = env[name] ? findMeantVariable(name, variableNames) : undefined;
    return right ? [`${name} is no variable of this suite: did you mean ${right}?`] : [];
  });
}

/**
 * Finds signs that a run without `BASE_URL`, which judges the mock, was meant for another target. Returns the warnings about typos
 * of `BASE_URL` or `TRAFFIC`, and a sentence about a set `TARGET_NAME`.
 * @param notices result of `findNameNotices`, whose sentences end in the variable that was meant
 */
export const findAddressProblems = ({ TARGET_NAME }: Environment, notices: string[]): string[] => [
  ...notices.filter((notice) => / (BASE_URL|TRAFFIC)\?$/.test(notice)),
  ...(TARGET_NAME
    ? ['TARGET_NAME is set, but BASE_URL is not: set it to the address of the target, or to mock']
    : []),
];

/**
 * Describes names in `.env` that are no configuration variables, each in a sentence that suggests one. With `AUTH_MODULE`,
 * describes only likely typos, because the module may read variables of its own. Empty if the contract has a mistake, because only
 * a valid contract names the variables of identifiers, such as `CARD_IDS`; the run then reports the contract.
 * @param names names that `.env` sets
 */
export function findNameProblems(names: string[], { AUTH_MODULE }: Environment): string[] {
  if (names.length === 0 || loadContractOrError() instanceof ContractError) return [];
  const variableNames = listVariableNames();
  const unknown = names.filter((name) => ![...variableNames, ...otherNames].includes(name));
  return unknown.flatMap((name) => {
    if (name === 'NODE_EXTRA_CA_CERTS')
      return [`.env sets ${name}, which Node reads before .env: set it in the environment`];
    const right = findMeantVariable(name, variableNames);
    if (AUTH_MODULE && !right && isName(name)) return [];
    // Any other text may be a part of a secret, such as a line of a private key.
    const canShow = isName(name) && (right || isPlain(name));
    const subject = canShow ? `${name}, which` : 'a name that';
    const hint = right ?? closest(name.toUpperCase(), variableNames);
    return [`.env sets ${subject} is no variable of this suite: did you mean ${hint}?`];
  });
}

/**
 * Returns whether a name has only characters of a variable. Node's parser of `.env` joins a line without `=` to the name on the
 * next line.
 */
const isName = (name: string) => /^[\w.-]+$/.test(name);

/**
 * Returns whether a message may show a name: it has letters of one case only. A line of a private key, which may be taken for a
 * name, mixes cases.
 */
const isPlain = (name: string) => /^([A-Z_]{1,30}|[a-z_]{1,30})$/.test(name);
