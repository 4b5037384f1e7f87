import { isDeepStrictEqual } from 'node:util';
import type { Entry } from '../../schemas/contract/ledger.ts';
import { CommandError } from '../command-error.ts';
import type { Accepts } from './deviation.ts';

/** The forms that no entry for a target has yet. @throws {CommandError} naming the entries, when they have all of them. */
export function freshForms(
  forms: Accepts[],
  ledger: Entry[],
  requirement: string,
  target: string,
): Accepts[] {
  const own = ledger.filter((one) => one.requirement === requirement && (one.target ?? target) === target);
  const entryWith = (form: Accepts) => own.find(({ accepts }) => isDeepStrictEqual(accepts, form));
  const entries = forms.flatMap((form) => entryWith(form) ?? []);
  if (entries.length < forms.length) return forms.filter((form) => !entryWith(form));
  const change = entries.some(({ until }) => until) ? 'set a later day' : 'change that entry';
  throw new CommandError(
    `spec/ledger.yaml accepts this already, in ${entries.map(placeOf).join(' and ')}: run again to see it tolerated, or ${change}`,
  );
}

const placeOf = ({ line, until }: Entry) => `line ${line}${until ? `, until ${until}` : ''}`;
