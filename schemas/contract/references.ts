import { mistakeAt, type Step, type YamlFile } from './yaml.ts';

/** A value of a document, and where it stands. */
interface Place {
  value: unknown;
  steps: Step[];
}

/**
 * Replaces each `$ref` by what it names; keys beside a `$ref` replace those of what it names.
 * @throws {ContractError} when a reference leads to nothing, or back to itself.
 */
export function resolve(file: YamlFile, { value, steps }: Place, trail: string[] = []): unknown {
  const below = (child: unknown, step: Step) =>
    resolve(file, { value: child, steps: [...steps, step] }, trail);
  if (Array.isArray(value)) return value.map(below);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...own } = value as Record<string, unknown>;
  const keys = Object.fromEntries(Object.entries(own).map(([key, child]) => [key, below(child, key)]));
  if ($ref === undefined) return keys;
  return { ...referenced(file, $ref, [...steps, '$ref'], trail), ...keys };
}

/** The value at some steps. */
export const valueAtSteps = (value: unknown, steps: Step[]): unknown =>
  steps.reduce<unknown>(
    (at, step) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, step)
        ? (at as Record<Step, unknown>)[step]
        : undefined,
    value,
  );

function referenced(file: YamlFile, ref: unknown, from: Step[], trail: string[]): object {
  const fail = (says: string) => mistakeAt(file, from, `${says}; correct the reference`);
  if (typeof ref !== 'string' || !ref.startsWith('#/')) throw fail('a reference must begin with #/');
  if (trail.includes(ref)) throw fail(`${ref} refers to itself`);
  const steps = ref.slice(2).split('/');
  const value = valueAtSteps(file.value, steps);
  if (typeof value !== 'object' || value === null) throw fail(`${ref} refers to nothing`);
  const named = resolve(file, { value, steps }, [...trail, ref]) as object;
  return steps[0] === 'components' ? { ...named, 'x-component': steps.at(-1) } : named;
}
