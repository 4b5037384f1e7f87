import { createHash } from 'node:crypto';
import type { Parameter } from '../../schemas/contract/contract.ts';
import { type Argument, literal } from '../exchanges/request.ts';

/** Identifiers of one kind that have a number; the others share a label. */
const maxNumbered = 10_000;

/**
 * Shows identifiers of a recording by the order in which they turn up: `{card 3}`. Of each only a print is kept, and no
 * more of them than so many.
 */
export class IdentifierLabels {
  readonly #max: number;
  readonly #numbers = new Map<string, Map<string, number>>();

  constructor(max = maxNumbered) {
    this.#max = max;
  }

  /** A value of a parameter as it may be shown. Numbers of a page and documented values may, others may not. */
  argumentOf(parameter: Parameter, value: string): Argument {
    const { name, schema } = parameter;
    const variable = parameter['x-identifiers'];
    if (schema.enum?.includes(value)) return literal(value);
    if (variable !== undefined) return shownAs(value, this.#label(kindOf(variable), value));
    const isPublic = parameter['x-data-classification'].sensitivity === 'public';
    return isPublic && /^\d{1,6}$/.test(value) ? literal(value) : shownAs(value, `{${name}}`);
  }

  #label(kind: string, value: string): string {
    const numbers = this.#numbers.get(kind) ?? new Map<string, number>();
    this.#numbers.set(kind, numbers);
    const print = createHash('sha256').update(value).digest('base64').slice(0, 16);
    const isNew = !numbers.has(print);
    if (isNew && numbers.size < this.#max) numbers.set(print, numbers.size + 1);
    return `{${kind} ${numbers.get(print) ?? '…'}}`;
  }
}

/** `CARD_IDS` are cards: "card". */
const kindOf = (variable: string) =>
  variable
    .replace(/_IDS?$/, '')
    .replaceAll('_', ' ')
    .toLowerCase();

const shownAs = (value: string, label: string): Argument => ({ value, label, shell: label });
