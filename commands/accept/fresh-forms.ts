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
  const fresh = forms.filter((form) => !entryWith(form));
  if (fresh.length > 0) return fresh;
  const places = forms.map((form) => placeOf(entryWith(form))).join(' and ');
  throw new CommandError(
    `spec/ledger.yaml accepts this already, in ${places}: run again to see it tolerated, or change that entry`,
  );
}

const placeOf = (entry: Entry | undefined) =>
  `line ${entry?.line}${entry?.until ? `, until ${entry.until}` : ''}`;
