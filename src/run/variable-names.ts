import { closest, distance } from 'fastest-levenshtein';
import { loadContractOrError } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/files.ts';
import { listIdentifierNames } from './identifier-variables.ts';
import { type Environment, variableTable } from './variable-table.ts';

/** Lists the suite's environment variables in the order of the documentation. */
export const listVariableNames = (): string[] =>
  Object.keys(variableTable).flatMap((name) =>
    // `variableTable` lacks variables such as `CARD_IDS`, which the contract names. They follow `TARGET_NAME`.
    name === 'TARGET_NAME' ? [name, ...listIdentifierNames()] : [name],
  );

const namesOfOtherPrograms = [
  'DEBUG',
  'NODE_DEBUG',
  'PWDEBUG',
  'CI',
  'http_proxy',
  'https_proxy',
  'no_proxy',
];

export const listKnownNames = (): string[] => [...listVariableNames(), ...namesOfOtherPrograms];

const normalizeName = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toUpperCase();

function findMeantVariable(name: string, variableNames: string[]): string | undefined {
  const isCorrect = [...variableNames, ...namesOfOtherPrograms].includes(name);
  if (isCorrect) return undefined;
  const resembles = (variable: string) =>
    differInOneTypo(normalizeName(name), normalizeName(variable)) || lacksLastWord(name, variable);
  return variableNames.find(resembles);
}

/**
 * Returns whether a name equals a variable without its last words, such as `MAX_BODY` for `MAX_BODY_MB`. Returns false for a
 * name of one word, such as `MAX`.
 */
const lacksLastWord = (name: string, variable: string) =>
  name.includes('_') && variable.startsWith(`${name}_`);

function differInOneTypo(first: string, second: string): boolean {
  // Levenshtein distance, in which a swapped or moved letter counts as two changes.
  const changeCount = distance(first, second);
  const hasMovedLetter = changeCount === 2 && sortLetters(first) === sortLetters(second);
  return changeCount <= 1 || hasMovedLetter;
}

const sortLetters = (name: string) => [...name].sort().join();

/** Warning about a misspelt variable such as `BASEURL`. `meantVariable` is the correct name, here `BASE_URL`. */
type NameNotice = Record<'text' | 'meantVariable', string>;

/** Finds likely typos in the names of environment variables. */
export function findNameNotices(env: Environment): NameNotice[] {
  const variableNames = listVariableNames();
  const setNames = Object.keys(env).filter((name) => env[name]);
  return setNames.flatMap((name) => {
    const meantVariable = findMeantVariable(name, variableNames);
    // An unknown name that resembles no variable may belong to another program.
    if (!meantVariable) return [];
    return [{ text: `${name} is no variable of this suite: did you mean ${meantVariable}?`, meantVariable }];
  });
}

/**
 * Describes signs that `BASE_URL` or `TRAFFIC` was left unset by mistake. One sign is a typo such as `BASEURL` in `notices`.
 * Another sign is that `TARGET_NAME` is set. The caller must have checked that `BASE_URL` and `TRAFFIC` are unset.
 */
export function findAddressProblems({ TARGET_NAME }: Environment, notices: NameNotice[]): string[] {
  const addressNotices = notices.filter(({ meantVariable }) => /^(BASE_URL|TRAFFIC)$/.test(meantVariable));
  const problems = addressNotices.map(({ text }) => text);
  if (TARGET_NAME)
    problems.push('TARGET_NAME is set, but BASE_URL is not: set it to the address of the target, or to mock');
  return problems;
}

/**
 * Describes unknown variables in `.env`, such as a misspelt `BASEURL`. Returns `[]` if the contract cannot be loaded.
 * If `AUTH_MODULE` is set, the module may read variables of its own. In that case, a name is described only if it resembles a
 * variable of this suite. `NODE_EXTRA_CA_CERTS` and a name with a space or a symbol such as `/` are always described.
 */
export function findNameProblems(names: string[], { AUTH_MODULE }: Environment): string[] {
  // The contract declares variables such as `CARD_IDS`. If it cannot be loaded, it is unknown which names are variables.
  if (names.length === 0 || loadContractOrError() instanceof ContractError) return [];
  const knownNames = listKnownNames();
  const unknownNames = names.filter((name) => !knownNames.includes(name));
  const hasAuthModule = Boolean(AUTH_MODULE);
  return unknownNames.flatMap((name) => describeUnknownName(name, hasAuthModule));
}

function describeUnknownName(name: string, hasAuthModule: boolean): string[] {
  if (name === 'NODE_EXTRA_CA_CERTS')
    return [`.env sets ${name}, which Node reads before .env: set it in the environment`];
  const variableNames = listVariableNames();
  const meantVariable = findMeantVariable(name, variableNames);
  // An `AUTH_MODULE` may read variables of its own, so that a name unlike any variable is no problem.
  // A name with a space or a symbol cannot be a variable of the module: it contains a line of `.env` without `=`.
  const mayBelongToModule = hasAuthModule && !meantVariable && hasNameCharacters(name);
  if (mayBelongToModule) return [];
  const suggestion = meantVariable ?? closest(name.toUpperCase(), variableNames);
  const subject = isSafeToShow(name, meantVariable) ? `${name}, which` : 'a name that';
  return [`.env sets ${subject} is no variable of this suite: did you mean ${suggestion}?`];
}

/**
 * Returns whether a message may show an unknown name from `.env`. Returns false for a name such as `MIIEvQIBADAN`, which may be a
 * part of a private key.
 * @param meantVariable variable that the name resembles, such as `BASE_URL` for `BASEURL`. Undefined if the name resembles none.
 */
const isSafeToShow = (name: string, meantVariable: string | undefined): boolean =>
  hasNameCharacters(name) && (meantVariable !== undefined || isAllUpperOrAllLower(name));

// A line of `.env` without `=`, such as a line of a private key, becomes a part of the next name. That name has spaces or symbols.
const hasNameCharacters = (name: string) => /^[\w.-]+$/.test(name);

const isAllUpperOrAllLower = (name: string) => /^([A-Z_]{1,30}|[a-z_]{1,30})$/.test(name);
