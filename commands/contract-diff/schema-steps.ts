import type { Schema } from '../../schemas/contract/contract.ts';
import { validatorOf } from '../../schemas/contract/validators.ts';
import type { Direction, Step } from './change.ts';
import { patternFacts } from './pattern-facts.ts';

type Keywords = Readonly<Record<string, unknown>>;

/** Keywords that describe, or that other places of the contract judge. */
const described =
  /^(title|description|default|examples?|properties|items|required|deprecated|x-(?!values-that-occur).*)$/;

const lower = /^(minimum|exclusiveMinimum|minLength|minItems|minProperties)$/;
const upper = /^(maximum|exclusiveMaximum|maxLength|maxItems|maxProperties)$/;

/** How the schema of one place has changed, keyword by keyword; what stands below it is a place of its own. */
export function schemaSteps(before: Schema, now: Schema): Step[] {
  const [old, own] = [before, now].map(withValues) as [Keywords, Keywords];
  const names = [...new Set([...Object.keys(old), ...Object.keys(own)])].filter(
    (name) => !described.test(name),
  );
  return names
    .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(own[name]))
    .map((name) => stepOf(name, old[name], own[name]));
}

/** A constant is a list of one value. */
function withValues({ const: value, ...schema }: Schema): Keywords {
  return value === undefined ? schema : { ...schema, enum: [value] };
}

function stepOf(name: string, before: unknown, now: unknown): Step {
  const what = name === 'x-values-that-occur' ? 'the values that occur' : `\`${name}\``;
  if (before === undefined) return { direction: 'stricter', says: `${what} is ${textOf(now)}, and was open` };
  if (now === undefined) return { direction: 'looser', says: `${what} was ${textOf(before)}, and is open` };
  const says = `${what} was ${textOf(before)}, and is ${textOf(now)}`;
  if (Array.isArray(before) && Array.isArray(now))
    return { direction: ofLists(before, now), says: ofValues(what, before, now) };
  if (name === 'type') return { direction: ofTypes(before, now), says };
  if (name === 'pattern')
    return { direction: 'changed', says: says + patternFacts(String(before), String(now)) };
  return { direction: ofNumbers(name, before, now), says };
}

const textOf = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

function ofLists(before: unknown[], now: unknown[]): Direction {
  const [gone, come] = [without(before, now), without(now, before)];
  if (come.length === 0) return gone.length > 0 ? 'stricter' : 'changed';
  return gone.length === 0 ? 'looser' : 'changed';
}

function ofValues(what: string, before: unknown[], now: unknown[]): string {
  const [gone, come] = [without(before, now), without(now, before)].map((values) =>
    values.map(textOf).join(', '),
  );
  const parts = [gone && `no longer has ${gone}`, come && `now has ${come}`].filter(Boolean);
  return `${what} ${parts.join(', and ') || 'has another order'}`;
}

const without = (values: unknown[], others: unknown[]) => values.filter((value) => !others.includes(value));

function ofTypes(before: unknown, now: unknown): Direction {
  if (before === 'number' && now === 'integer') return 'stricter';
  return before === 'integer' && now === 'number' ? 'looser' : 'changed';
}

function ofNumbers(name: string, before: unknown, now: unknown): Direction {
  if (typeof before !== 'number' || typeof now !== 'number') return 'changed';
  if (lower.test(name)) return now > before ? 'stricter' : 'looser';
  if (upper.test(name)) return now < before ? 'stricter' : 'looser';
  return 'changed';
}

/** Whether a schema accepts a value, as the contract judges it. */
export const acceptsValue = (schema: Schema, value: unknown): boolean =>
  validatorOf(schema, 'the contract')(value);
