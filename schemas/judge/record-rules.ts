import type { CheckOf, Operation, Rule } from '../contract/contract.ts';
import { sameIdentifier } from '../contract/identifiers.ts';
import { addressOf } from '../contract/nodes.ts';
import { ruleAddress } from '../contract/requirements.ts';
import { validatorOf } from '../contract/validators.ts';
import { iterable } from '../iterable.ts';
import { type Exchange, type Judgement, report, type Violation } from './judgement.ts';
import { type PlaceAt, placesAt } from './places-at.ts';
import { schemaAt } from './violations.ts';

/** An operation with the parameters that were sent. */
type Asked = Pick<Exchange, 'operation' | 'parameters'>;

/** Judges the rules about values of a record: one that was requested, or one that depends on another. */
export function judgeRecords(judgement: Judgement, exchange: Asked): void {
  for (const rule of exchange.operation.rules) {
    const { check } = rule;
    if ('echoes' in check) judgeEcho(judgement, exchange, rule, check);
    if ('presentWith' in check) judgePresence(judgement, exchange.operation, rule, check);
  }
}

/** What is judged at each of some places; both are found one by one, since an answer may hold millions. */
interface Judged {
  requirement: string;
  places: () => Iterable<PlaceAt>;
  violation: (place: PlaceAt) => Omit<Violation, 'requirement' | 'pointer'> | undefined;
}

function judgePlaces(judgement: Judgement, judged: Judged): void {
  const { requirement, places, violation } = judged;
  let [visits, broken] = [0, 0];
  for (const place of places()) {
    visits += 1;
    if (violation(place)) broken += 1;
  }
  if (visits > 0) judgement.visits[requirement] = (judgement.visits[requirement] ?? 0) + visits;
  if (broken > 0)
    report(
      judgement,
      iterable(() => brokenPlaces(judged)),
    );
}

function* brokenPlaces({ requirement, places, violation }: Judged): Generator<Violation> {
  for (const place of places()) {
    const broken = violation(place);
    if (broken) yield { requirement, pointer: place.pointer, ...broken };
  }
}

/** What a request did not ask for, a response need not echo. */
function judgeEcho(
  judgement: Judgement,
  { operation, parameters }: Asked,
  rule: Rule,
  { echoes, pointer }: CheckOf<'echoes'>,
): void {
  if (!Object.hasOwn(parameters, echoes)) return;
  const asked = parameters[echoes] ?? '';
  judgePlaces(judgement, {
    requirement: ruleAddress(operation.id, rule),
    places: () => namedIn(operation, pointer, judgement.body),
    violation: ({ value }) =>
      sameIdentifier(String(value), asked)
        ? undefined
        : { expected: 'the requested identifier', value, actual: 'another identifier' },
  });
}

/** Where a record names something, under each name that has been seen; an optional field that is empty names nothing. */
function* namedIn(operation: Operation, pointer: string, body: unknown): Generator<PlaceAt> {
  const schema = schemaAt(operation, pointer);
  const parent = schemaAt(operation, parentOf(pointer));
  const own = pointer.slice(parentOf(pointer).length + 1);
  const isRequired = parent?.required?.includes(own);
  for (const name of [own, ...(schema?.['x-observed-names'] ?? [])])
    for (const place of placesAt(body, `${parentOf(pointer)}/${name}`)) {
      const { value } = place;
      if (typeof value !== 'string' || (schema && !validatorOf(schema, pointer)(value))) continue;
      if (isRequired || value.trim() !== '') yield place;
    }
}

const parentOf = (pointer: string) => pointer.slice(0, pointer.lastIndexOf('/'));

function judgePresence(
  judgement: Judgement,
  { id }: Operation,
  rule: Rule,
  { presentWith, pointer }: CheckOf<'presentWith'>,
): void {
  // A long list is not walked for what is not in it.
  if (!judgement.visits[addressOf(id, parentOf(pointer))]) return;
  const [[name = '', expected = ''] = []] = Object.entries(presentWith);
  const matches = (parent: Record<string, unknown>) =>
    Object.hasOwn(parent, name) && parent[name] === expected;
  judgePlaces(judgement, {
    requirement: ruleAddress(id, rule),
    places: () => placesAt(judgement.body, pointer, matches),
    violation: ({ isThere, parent }) =>
      isThere
        ? undefined
        : {
            expected: `present where ${name} is ${expected}`,
            value: parent,
            actual: 'nothing: it is missing',
          },
  });
}
