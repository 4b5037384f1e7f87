import type { Operation } from '../../schemas/contract/contract.ts';
import { sameIdentifier } from '../../schemas/contract/identifiers.ts';
import { placesAt } from '../../schemas/judge/places-at.ts';
import { printOf } from './prints.ts';
import { parameterOf, type Relations } from './relation-rules.ts';
import { valueIn } from './sightings.ts';
import type { Seen } from './sightings-of-run.ts';

/** A lookup, with a print of each value that rules compare, by its pointer. */
export interface LookedUp<Source> {
  operation: Operation;
  key: number;
  outcome: Seen<Source>['outcome'];
  values: Map<string, number>;
  source: Source;
}

/** A lookup, if it is one: of a success, only the record that was requested is compared. */
export function lookedUp<Source>(seen: Seen<Source>, relations: Relations): LookedUp<Source>[] {
  const { operation, parameters, outcome, body, source } = seen;
  const rules = [...relations.listed, ...relations.constant].filter(
    (rule) => rule.operation.id === operation.id,
  );
  const [first] = rules;
  const asked = first && parameters[parameterOf(first.check)];
  if (asked === undefined) return [];
  if (outcome === 'success' && !isRequested(seen)) return [];
  const values = new Map<string, number>();
  for (const { check } of rules) {
    if ('same' in check) values.set(check.same, valueIn(operation, check.same, 'value', body));
    if ('presentAs' in check)
      values.set(check.presentAs, valueIn(operation, check.presentAs, 'presence', body));
    if ('constant' in check)
      for (const pointer of check.constant) values.set(pointer, valueIn(operation, pointer, 'value', body));
  }
  return [{ operation, key: printOf(asked), outcome, values, source }];
}

/** Whether the response to a lookup says nothing of the record: not even that it is not there. */
export const showsNothing = ({ outcome }: LookedUp<unknown>): boolean =>
  outcome === 'denied' || outcome === 'failure' || outcome === 'other';

/** Whether a record is the requested one; another one breaks a rule of its own. */
export function isRequested({
  operation,
  parameters,
  body,
}: Pick<Seen<unknown>, 'operation' | 'parameters' | 'body'>): boolean {
  const echoes = operation.rules.flatMap(({ check }) => ('echoes' in check ? [check] : []));
  return echoes.every(({ echoes: parameter, pointer }) => {
    const [place] = placesAt(body, pointer);
    const asked = parameters[parameter];
    return asked !== undefined && typeof place?.value === 'string' && sameIdentifier(place.value, asked);
  });
}
