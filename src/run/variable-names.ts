import { closest, distance } from 'fastest-levenshtein';
import type { DotenvEntry } from './dotenv.ts';
import { identifierVariables } from './identifier-variables.ts';
import { formerVariables, type VariableName, variable, variableTable } from './variable-table.ts';
import type { Environment } from './variables.ts';

const tableNames = Object.keys(variableTable) as VariableName[];

/** The names of all variables of a run. */
export const variableNames = (): string[] => {
  const [first, second, ...others] = tableNames as [VariableName, VariableName, ...VariableName[]];
  return [first, second, ...identifierVariables(), ...others];
};

/** Names that are known for a reason of their own: loggers are rejected by name, and `CI` is anybody's. */
const others = ['DEBUG', 'NODE_DEBUG', 'PWDEBUG', 'CI', 'http_proxy', 'https_proxy', 'no_proxy'];

/** Every name that may be set. */
export const knownNames = (): string[] => [...variableNames(), ...former().map(([name]) => name), ...others];

const fold = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toUpperCase();

/** The variable that a name was probably meant to be. */
function meant(name: string, known: string[], values: Environment): string | undefined {
  if (known.includes(name)) return undefined;
  const near = variableNames().find((right) => distance(fold(right), fold(name)) <= 1);
  if (near) return near;
  const other = tableNames.find((right) => mistakenFor(right).includes(name));
  return other && !values[other] ? other : undefined;
}

const mistakenFor = (name: VariableName): readonly string[] => variable(name).mistakenFor ?? [];

/** Names of the environment that are nearly those of variables: it holds names of any program. */
export function nameNotices(env: Environment, values: Environment): string[] {
  const known = knownNames();
  return Object.keys(env).flatMap((name) => {
    const right = env[name] ? meant(name, known, values) : undefined;
    return right ? [`${name} is set, which nothing reads: did you mean ${right}?`] : [];
  });
}

/** Names of `.env` that are no variables. With AUTH_MODULE it may hold others, which that module reads. */
export function nameProblems(entries: DotenvEntry[], values: Environment): string[] {
  const known = knownNames();
  return entries.flatMap(({ name, line }) => {
    if (known.includes(name)) return [];
    if (name === 'NODE_EXTRA_CA_CERTS')
      return [`.env, line ${line}: Node reads ${name} before .env is: set it in the environment`];
    const right = meant(name, known, values);
    if (values.AUTH_MODULE && !right) return [];
    const hint = right ?? closest(name.toUpperCase(), variableNames());
    const shown = right || isPlain(name) ? name : 'a name';
    return [`.env, line ${line}: ${shown} is no variable of this suite: did you mean ${hint}?`];
  });
}

/** The rest of a key in several lines may look like a name, and is a secret. */
const isPlain = (name: string) => /^([A-Z_]{1,30}|[a-z_]{1,30})$/.test(name);

/** Variables that were taken away, with what to do instead. */
const former = (): [name: string, instead: string][] => [
  ...Object.entries(formerVariables),
  ...identifierVariables().map((name): [string, string] => [
    `${name}_FILE`,
    `set ${name}=@ and the name of the file`,
  ]),
];

/** Variables that were taken away, and are still set: ignored, a gate would be lost in silence. */
export const formerProblems = (values: Environment): string[] =>
  former()
    .filter(([name]) => values[name])
    .map(([name, instead]) => `${name} is no variable any more: ${instead}`);
