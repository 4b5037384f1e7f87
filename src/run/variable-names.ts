import { closest, distance } from 'fastest-levenshtein';
import type { DotenvEntry } from './dotenv.ts';
import { identifierVariables } from './identifier-variables.ts';
import { formerVariables, variableTable } from './variable-table.ts';
import type { Environment } from './variables.ts';

/** The names of all variables of a run. */
export const variableNames = (): string[] =>
  Object.keys(variableTable).toSpliced(2, 0, ...identifierVariables());

/** Names that are known for a reason of their own: loggers are rejected by name, and `CI` is anybody's. */
const others = ['DEBUG', 'NODE_DEBUG', 'PWDEBUG', 'CI', 'http_proxy', 'https_proxy', 'no_proxy'];

/** Every name that may be set. */
export const knownNames = (): string[] => [...variableNames(), ...Object.keys(former()), ...others];

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

/** Names of `.env` that are no variables. With AUTH_MODULE it may hold others, which that module reads. */
export const nameProblems = (entries: DotenvEntry[], { AUTH_MODULE }: Environment): string[] =>
  entries.flatMap(({ name, line }) => {
    if (name === 'NODE_EXTRA_CA_CERTS')
      return [`.env, line ${line}: Node reads ${name} before .env is: set it in the environment`];
    const right = meant(name);
    if (knownNames().includes(name) || (AUTH_MODULE && !right)) return [];
    const shown = right || isPlain(name) ? name : 'a name';
    const hint = right ?? closest(name.toUpperCase(), variableNames());
    return [`.env, line ${line}: ${shown} is no variable of this suite: did you mean ${hint}?`];
  });

/** The rest of a key in several lines may look like a name, and is a secret. */
const isPlain = (name: string) => /^([A-Z_]{1,30}|[a-z_]{1,30})$/.test(name);

/** Variables that were taken away, with what to do instead. */
const former = (): Record<string, string> => ({
  ...formerVariables,
  ...Object.fromEntries(
    identifierVariables().map((name) => [`${name}_FILE`, `set ${name}=@ and the name of the file`]),
  ),
});

/** Variables that were taken away, and are still set: ignored, a gate would be lost in silence. */
export const formerProblems = (values: Environment): string[] =>
  Object.entries(former())
    .filter(([name]) => values[name])
    .map(([name, instead]) => `${name} is no variable any more: ${instead}`);
