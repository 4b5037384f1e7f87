import { closest, distance } from 'fastest-levenshtein';
import { loadContractOrError } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/files.ts';
import { listIdentifierNames } from './identifier-variables.ts';
import { type Environment, variableTable } from './variable-table.ts';

/** Lists all configuration variables in the order of the documentation. */
export const listVariableNames = (): string[] =>
  Object.keys(variableTable).flatMap((name) =>
    name === 'TARGET_NAME' ? [name, ...listIdentifierNames()] : [name],
  );

/** Names of other programs' variables that a run reads as well: `CI`, proxies in lower case, and loggers that it may reject. */
const otherNames = ['DEBUG', 'NODE_DEBUG', 'PWDEBUG', 'CI', 'http_proxy', 'https_proxy', 'no_proxy'];

export const listKnownNames = (): string[] => [...listVariableNames(), ...otherNames];

/** Folds case and separators, so that `base-url` and `BASE_URL` become `BASEURL`. */
const fold = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toUpperCase();

/**
 * Finds the configuration variable that a misspelt name resembles: `BASE_URL` for `BASEURL`, `REQUEST_TIMEOUT_MS` for
 * `REQUEST_TIMEOUT`. Undefined if no variable resembles it, or if the name is right.
 */
function findMeantVariable(name: string, variableNames: string[]): string | undefined {
  if ([...variableNames, ...otherNames].includes(name)) return undefined;
  const foldedName = fold(name);
  return variableNames.find((variable) => isNear(fold(variable), foldedName) || lacksUnit(variable, name));
}

/** Returns whether a name is a variable without its last words: `MAX_BODY` for `MAX_BODY_MB`, but not `USER` for `USER_IDS`. */
const lacksUnit = (variable: string, name: string) => name.includes('_') && variable.startsWith(`${name}_`);

/** Returns whether two names differ in at most one letter, or in the place of one letter: two are swapped, or one is moved. */
function isNear(first: string, second: string): boolean {
  const changes = distance(first, second);
  // A swapped or moved letter counts as two changes.
  return changes <= 1 || (changes === 2 && sortLetters(first) === sortLetters(second));
}

const sortLetters = (name: string) => [...name].sort().join();

/**
 * Formats a warning for each name that is likely a typo: "BASEURL is no variable of this suite: did you mean BASE_URL?". Ignores
 * any other name, because another program may use it.
 */
export function findNameNotices(env: Environment): string[] {
  const variableNames = listVariableNames();
  return Object.keys(env).flatMap((name) => {
    const meantVariable = env[name] ? findMeantVariable(name, variableNames) : undefined;
    return meantVariable ? [`${name} is no variable of this suite: did you mean ${meantVariable}?`] : [];
  });
}

/**
 * Finds signs that a run without `BASE_URL`, which judges the mock, was meant for another target: typos of `BASE_URL` or
 * `TRAFFIC`, or a set `TARGET_NAME`.
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
 * describes only likely typos, because the module may read variables of its own. Empty if the contract, which names variables
 * such as `CARD_IDS`, has a mistake.
 */
export function findNameProblems(names: string[], { AUTH_MODULE }: Environment): string[] {
  if (names.length === 0 || loadContractOrError() instanceof ContractError) return [];
  const variableNames = listVariableNames();
  const unknown = names.filter((name) => ![...variableNames, ...otherNames].includes(name));
  return unknown.flatMap((name) => {
    if (name === 'NODE_EXTRA_CA_CERTS')
      return [`.env sets ${name}, which Node reads before .env: set it in the environment`];
    const meantVariable = findMeantVariable(name, variableNames);
    if (AUTH_MODULE && !meantVariable && isName(name)) return [];
    // Any other text may be a part of a secret, such as a line of a private key.
    const canShow = isName(name) && (meantVariable || hasOneCase(name));
    const subject = canShow ? `${name}, which` : 'a name that';
    const hint = meantVariable ?? closest(name.toUpperCase(), variableNames);
    return [`.env sets ${subject} is no variable of this suite: did you mean ${hint}?`];
  });
}

/** Returns whether a name has only characters of a variable. Node's parser joins a line of `.env` without `=` to the next name. */
const isName = (name: string) => /^[\w.-]+$/.test(name);

/** Returns whether a name has letters of one case only. A line of a private key, which may be taken for a name, mixes cases. */
const hasOneCase = (name: string) => /^([A-Z_]{1,30}|[a-z_]{1,30})$/.test(name);
