import { closest, distance } from 'fastest-levenshtein';
import { loadContractOrError } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/files.ts';
import { listIdentifierNames } from './identifier-variables.ts';
import { type Environment, variableTable } from './variable-table.ts';

export const listVariableNames = (): string[] =>
  Object.keys(variableTable).flatMap((name) =>
    // Variables such as `CARD_IDS`, which the contract names, follow `TARGET_NAME`.
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

/** Drops case and separators: `base-url` and `BASE_URL` both become `BASEURL`. */
const normalizeName = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toUpperCase();

/** Returns `BASE_URL` for the misspelt name `BASEURL`. Undefined if the name is known, or resembles no variable. */
function findMeantVariable(name: string, variableNames: string[]): string | undefined {
  if ([...variableNames, ...namesOfOtherPrograms].includes(name)) return undefined;
  const normalizedName = normalizeName(name);
  return variableNames.find(
    (variable) =>
      differInOneTypo(normalizeName(variable), normalizedName) || isAbbreviationOf(name, variable),
  );
}

/** Returns whether a name of two or more words begins a name of a variable, as `MAX_BODY` begins `MAX_BODY_MB`. False for `MAX`. */
const isAbbreviationOf = (name: string, variable: string) =>
  name.includes('_') && variable.startsWith(`${name}_`);

/** Returns whether two names differ by at most one typing error: a letter too many, too few, wrong or moved. */
function differInOneTypo(first: string, second: string): boolean {
  const changeCount = distance(first, second);
  // A swapped or moved letter counts as two changes.
  const hasMovedLetter = changeCount === 2 && sortLetters(first) === sortLetters(second);
  return changeCount <= 1 || hasMovedLetter;
}

const sortLetters = (name: string) => [...name].sort().join();

/** Warning about a misspelt name such as `BASEURL`, and the variable that it resembles: `BASE_URL`. */
type NameNotice = Record<'text' | 'meantVariable', string>;

/** Finds likely typos in the environment. Ignores other unknown names, because other programs may use them. */
export function findNameNotices(env: Environment): NameNotice[] {
  const variableNames = listVariableNames();
  return Object.keys(env).flatMap((name) => {
    const meantVariable = env[name] ? findMeantVariable(name, variableNames) : undefined;
    const text = `${name} is no variable of this suite: did you mean ${meantVariable}?`;
    return meantVariable ? [{ text, meantVariable }] : [];
  });
}

/** Finds signs that a run without `BASE_URL` was not meant for the mock: `TARGET_NAME` is set, or `BASE_URL` is misspelt. */
export function findAddressProblems({ TARGET_NAME }: Environment, notices: NameNotice[]): string[] {
  const addressNotices = notices.filter(({ meantVariable }) => /^(BASE_URL|TRAFFIC)$/.test(meantVariable));
  const problems = addressNotices.map(({ text }) => text);
  if (TARGET_NAME)
    problems.push('TARGET_NAME is set, but BASE_URL is not: set it to the address of the target, or to mock');
  return problems;
}

/**
 * Describes each name in `.env` that is no variable, and suggests one. With `AUTH_MODULE`, describes only likely typos, because
 * the module may read its own variables. Returns `[]` if the contract, which names variables such as `CARD_IDS`, has a mistake.
 */
export function findNameProblems(names: string[], { AUTH_MODULE }: Environment): string[] {
  if (names.length === 0 || loadContractOrError() instanceof ContractError) return [];
  const knownNames = listKnownNames();
  const unknownNames = names.filter((name) => !knownNames.includes(name));
  return unknownNames.flatMap((name) => describeUnknownName(name, { hasAuthModule: Boolean(AUTH_MODULE) }));
}

function describeUnknownName(name: string, { hasAuthModule }: { hasAuthModule: boolean }): string[] {
  if (name === 'NODE_EXTRA_CA_CERTS')
    return [`.env sets ${name}, which Node reads before .env: set it in the environment`];
  const variableNames = listVariableNames();
  const meantVariable = findMeantVariable(name, variableNames);
  const mayBelongToModule = hasAuthModule && !meantVariable && hasNameCharacters(name);
  if (mayBelongToModule) return [];
  const subject = isShownName(name, meantVariable) ? `${name}, which` : 'a name that';
  const suggestion = meantVariable ?? closest(name.toUpperCase(), variableNames);
  return [`.env sets ${subject} is no variable of this suite: did you mean ${suggestion}?`];
}

/** Returns whether a message may show a name. Another text may be a part of a secret, such as a line of a private key. */
const isShownName = (name: string, meantVariable: string | undefined): boolean =>
  hasNameCharacters(name) && (meantVariable !== undefined || isAllUpperOrAllLower(name));

/** Returns false for a name with spaces or symbols: Node's parser adds a line of `.env` without `=` to the name in the next line. */
const hasNameCharacters = (name: string) => /^[\w.-]+$/.test(name);

/** Returns whether a name is at most 30 letters or `_` of one case: true for `MY_NAME` and `my_name`. */
const isAllUpperOrAllLower = (name: string) => /^([A-Z_]{1,30}|[a-z_]{1,30})$/.test(name);
