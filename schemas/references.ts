import { ContractError } from './contract-error.ts';

/** Replaces each `$ref` by what it names; words beside a `$ref` win over the named ones. */
export function resolve(document: unknown, value: unknown, trail: string[]): unknown {
  if (Array.isArray(value)) return value.map((element) => resolve(document, element, trail));
  if (typeof value !== 'object' || value === null) return value;
  const { $ref, ...own } = value as Record<string, unknown>;
  const entries = Object.entries(own).map(([key, child]) => [key, resolve(document, child, trail)] as const);
  const words = Object.fromEntries(entries);
  return typeof $ref === 'string' ? { ...(referenced(document, $ref, trail) as object), ...words } : words;
}

/** @throws {ContractError} when a reference leads to nothing, or back to itself. */
function referenced(document: unknown, ref: string, trail: string[]): unknown {
  if (trail.includes(ref)) throw new ContractError(`spec/openapi.yaml: ${ref} refers to itself`);
  const steps = ref.replace(/^#\//, '').split('/');
  const target = steps.reduce<unknown>((at, step) => (at as Record<string, unknown>)?.[step], document);
  if (target === undefined) throw new ContractError(`spec/openapi.yaml: ${ref} refers to nothing`);
  const named = resolve(document, target, [...trail, ref]) as object;
  return steps[0] === 'components' ? { ...named, 'x-component': steps.at(-1) } : named;
}
