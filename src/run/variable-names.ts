import { closest, distance } from 'fastest-levenshtein';
import { loadContractOrError } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/files.ts';
import { listIdentifierNames } from './identifier-variables.ts';
import { type Environment, variableTable } from './variable-table.ts';

/** Returns the names of all variables of a run, in the order of the documentation: those of identifiers after `TARGET_NAME`. */
export const listVariableNames = (): string[] =>
  Object.keys(variableTable).toSpliced(2, 0, ...listIdentifierNames());

/** Variables of other programs that a run reads as well: `CI`, proxies in lower case, and loggers that it may reject. */
const otherNames = ['DEBUG', 'NODE_DEBUG', 'PWDEBUG', 'CI', 'http_proxy', 'https_proxy', 'no_proxy'];

/** Returns every name that `.env` may set. */
export const listKnownNames = (): string[] => [...listVariableNames(), ...otherNames];

/** Removes everything but letters and digits, in upper case, so that `base-url` equals `BASE_URL`. */
const fold = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toUpperCase();

/**
 * Finds the variable that a misspelt name resembles: `BASE_URL` for `BASEURL`, `REQUEST_TIMEOUT_MS` for `REQUEST_TIMEOUT`. Undefined if
 * none does, or if the name is right.
 * @param variableNames result of `listVariableNames`, which reads the contract
 */
const findMeantVariable = (name: string, variableNames: string[]): string | undefined =>
  [...variableNames, ...otherNames].includes(name)
    ? undefined
    : variableNames.find((right) => isNear(fold(right), fold(name)) || lacksUnit(right, name));

/** Checks that a name of several words is the beginning of a variable: `MAX_BODY` for `MAX_BODY_MB`, but not `USER` for `USER_IDS`. */
const lacksUnit = (right: string, name: string) => name.includes('_') && right.startsWith(`${name}_`);

/** Checks that two names differ in at most one letter, or in the place of one letter: two are swapped, or one is moved. */
const isNear = (right: string, name: string) =>
  distance(right, name) <= (sorted(right) === sorted(name) ? 2 : 1);

const sorted = (name: string) => [...name].sort().join();

/** Warns of names in the environment that are likely typos of a variable. Ignores any other name: another program may use it. */
export function findNameNotices(env: Environment): string[] {
  const variableNames = listVariableNames();
  return Object.keys(env).flatMap((name) => {
    const right = env[name] ? findMeantVariable(name, variableNames) : undefined;
    return right ? [`${name} is set, which nothing reads: did you mean ${right}?`] : [];
  });
}

/**
 * Finds signs that a run without `BASE_URL`, which judges the mock, was meant for another target: a typo of `BASE_URL` or
 * `TRAFFIC`, or a set `TARGET_NAME`.
 * @param notices results of `findNameNotices`, which end in the variable that was meant, such as "did you mean BASE_URL?"
 */
export const findAddressProblems = ({ TARGET_NAME }: Environment, notices: string[]): string[] => [
  ...notices.filter((notice) => / (BASE_URL|TRAFFIC)\?$/.test(notice)),
  ...(TARGET_NAME
    ? ['TARGET_NAME names a target, and BASE_URL is not set: set it, to mock for the embedded mock']
    : []),
];

/**
 * Finds names in `.env` that are no variables. With `AUTH_MODULE`, only likely typos count, because the module may read variables
 * of its own. Returns nothing if the contract has a mistake, because only a valid contract names the identifier variables, such as
 * `CARD_IDS`; the run then reports the contract.
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
    const canShow = isName(name) && (right || isPlain(name));
    const subject = canShow ? `${name}, which` : 'a name that';
    const hint = right ?? closest(name.toUpperCase(), variableNames);
    return [`.env sets ${subject} is no variable of this suite: did you mean ${hint}?`];
  });
}

/** Checks that a name has only characters of a variable. Node joins a line without `=` to the name on the next line. */
const isName = (name: string) => /^[\w.-]+$/.test(name);

/** Checks that a name has letters of one case only, so that a message may show it: a line of a private key mixes cases. */
const isPlain = (name: string) => /^([A-Z_]{1,30}|[a-z_]{1,30})$/.test(name);
