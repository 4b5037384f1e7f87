import { lastStep, parentOf } from '../contract/check-validation.ts';
import type { CheckOf, Operation, Rule } from '../contract/contract.ts';
import { sameIdentifier } from '../contract/identifiers.ts';
import { ruleAddress } from '../contract/requirements.ts';
import { validatorOf } from '../contract/validators.ts';
import { iterable } from '../iterable.ts';
import { type Exchange, type Judgement, report, type Violation, visit } from './judgement.ts';
import { type PlaceAt, placesAt } from './places-at.ts';
import { isSentWith } from './rules.ts';
import { schemaAt } from './violations.ts';

/** An operation with the parameters that were sent. */
type Asked = Pick<Exchange, 'operation' | 'parameters'>;

/** Judges the rule that a record is the one that was requested. */
export function judgeEchoes(judgement: Judgement, exchange: Asked): void {
  for (const rule of exchange.operation.rules)
    if ('echoes' in rule.check) judgeEcho(judgement, exchange, rule, rule.check);
}

/** Where a field is missing that another one promises; how often it is promised, the walk over the answer has counted. */
export function* missingPromised(operation: Operation, body: unknown): Generator<Violation> {
  for (const rule of operation.rules)
    if ('presentWith' in rule.check) yield* missingBeside(operation, rule, rule.check, body);
}

/** What a request did not ask for, a response need not echo. */
function judgeEcho(
  judgement: Judgement,
  { operation, parameters }: Asked,
  rule: Rule,
  { echoes, pointer, when = {} }: CheckOf<'echoes'>,
): void {
  if (!Object.hasOwn(parameters, echoes) || !isSentWith(when, parameters)) return;
  const asked = parameters[echoes] ?? '';
  const requirement = ruleAddress(operation.id, rule);
  // Places are found one by one, since an answer may hold millions.
  const places = () => namedIn(operation, pointer, judgement.body);
  let hasOther = false;
  for (const { value } of places()) {
    visit(judgement, requirement);
    hasOther ||= !isNamed(value, asked);
  }
  if (hasOther)
    report(
      judgement,
      iterable(() => otherIdentifiers(requirement, places(), asked)),
    );
}

function* otherIdentifiers(
  requirement: string,
  places: Iterable<PlaceAt>,
  asked: string,
): Generator<Violation> {
  const [expected, actual] = ['the requested identifier', 'another identifier'];
  for (const { pointer, value } of places)
    if (!isNamed(value, asked)) yield { requirement, pointer, expected, value, actual };
}

const isNamed = (value: unknown, asked: string) => sameIdentifier(String(value), asked);

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

function* missingBeside(
  { id }: Operation,
  rule: Rule,
  { presentWith, pointer }: CheckOf<'presentWith'>,
  body: unknown,
): Generator<Violation> {
  const [[name = '', expected = ''] = []] = Object.entries(presentWith);
  const matches = (parent: Record<string, unknown>) =>
    Object.hasOwn(parent, name) && parent[name] === expected && !Object.hasOwn(parent, lastStep(pointer));
  for (const place of placesAt(body, pointer, matches))
    yield {
      requirement: ruleAddress(id, rule),
      pointer: place.pointer,
      expected: `present where ${name} is ${expected}`,
      value: place.parent,
      actual: 'nothing: it is missing',
    };
}
