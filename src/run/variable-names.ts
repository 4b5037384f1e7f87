import { closest, distance } from 'fastest-levenshtein';
import { contractOrProblem } from '../../schemas/contract/contract.ts';
import { ContractError } from '../../schemas/contract/files.ts';
import { identifierVariables } from './identifier-variables.ts';
import { type Environment, variableTable } from './variable-table.ts';

/** The names of all variables of a run. */
export const variableNames = (): string[] =>
  Object.keys(variableTable).toSpliced(2, 0, ...identifierVariables());

/** Names that are known for a reason of their own: loggers are rejected by name, and `CI` is anybody's. */
const others = ['DEBUG', 'NODE_DEBUG', 'PWDEBUG', 'CI', 'http_proxy', 'https_proxy', 'no_proxy'];

/** Every name that may be set. */
export const knownNames = (): string[] => [...variableNames(), ...others];

const fold = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toUpperCase();

/** The variable that a name was probably meant to be. */
const meant = (name: string): string | undefined =>
  knownNames().includes(name) ? undefined : variableNames().find((right) => isNear(fold(right), fold(name)));

/** A letter more, less or another one, or two that have changed places. */
const isNear = (right: string, name: string) =>
  distance(right, name) <= (sorted(right) === sorted(name) ? 2 : 1);

const sorted = (name: string) => [...name].sort().join();

/** Names of the environment that are nearly those of variables: it holds names of any program. */
export const nameNotices = (env: Environment): string[] =>
  Object.keys(env).flatMap((name) => {
    const right = env[name] ? meant(name) : undefined;
    return right ? [`${name} is set, which nothing reads: did you mean ${right}?`] : [];
  });

/** What says that another target than the mock was meant, where no address is set. @param notices on names */
export const addressProblems = ({ TARGET_NAME }: Environment, notices: string[]): string[] => [
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
  if (contractOrProblem() instanceof ContractError) return [];
  const unknown = names.filter((name) => !knownNames().includes(name));
  return unknown.flatMap((name) => {
    if (name === 'NODE_EXTRA_CA_CERTS')
      return [`.env sets ${name}, which Node reads before .env: set it in the environment`];
    const right = meant(name);
    if (AUTH_MODULE && !right && isName(name)) return [];
    const shown = isName(name) && (right || isPlain(name)) ? `${name}, which` : 'a name that';
    const hint = right ?? closest(name.toUpperCase(), variableNames());
    return [`.env sets ${shown} is no variable of this suite: did you mean ${hint}?`];
  });
}

/** Checks that a name is the name of a variable: Node takes the text of a line without `=` for a part of the next name. */
const isName = (name: string) => /^[\w.-]+$/.test(name);

/** Checks that a name can be shown. The rest of a key in several lines may look like a name, and is a secret. */
const isPlain = (name: string) => /^([A-Z_]{1,30}|[a-z_]{1,30})$/.test(name);
