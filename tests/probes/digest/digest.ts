import type { Contract, Schema } from '../../../schemas/contract.ts';
import { isObject, valueAt } from '../../../schemas/json.ts';
import type { HttpResponse } from '../../../schemas/judgement.ts';
import { fieldsOf, formOf } from './form.ts';
import { knownHeaders } from './headers.ts';
import { announcementsOf, type Customers, customersOf, printOf } from './lists.ts';
import { type Outcome, outcomeOfAnswer } from './outcome.ts';
import { type Tally, talliesOf } from './tallies.ts';

/** All that is kept of an answer: what inferences need, small however large the body, words of the target in drafts. */
export interface Digest {
  outcome: Outcome;
  status: number;
  isSuccessStatus: boolean;
  contentType: string;
  /** Headers that questions ask for, with the known words of their values. */
  headers: Map<string, string[]>;
  /** What kind of body it is, and its fields if it is an object. */
  form: string;
  fields: string[];
  /** Headers and fields that may announce how many customers there are. */
  announcements: string[];
  customers: Customers;
  /** A print of the fee rules, equal where they are equal; `none` where the list is empty. */
  rules: string;
  counts: { customers?: number; fee_rules?: number };
  /** Which records there are. */
  records: string[];
  tallies: Map<string, Tally>;
}

/** A digest of an answer whose body was parsed, `undefined` where it is no JSON. */
export function digestOf(
  contract: Contract,
  operation: string | undefined,
  answer: HttpResponse,
  body: unknown,
): Digest {
  const [customers, rules] = ['/data/customers', '/data/fee_rules'].map((at) => valueAt(body, at));
  const contentType = (answer.contentType ?? '').slice(0, 200);
  const own = operationOf(contract, operation);
  const outcome = outcomeOfAnswer(own, answer.status, body);
  return {
    outcome,
    status: answer.status,
    isSuccessStatus: answer.status === own?.status,
    contentType,
    headers: knownHeaders(answer.headers ?? {}),
    form: formOf(answer.body, body, contentType),
    fields: fieldsOf(body),
    announcements: announcementsOf(answer.headers ?? {}, body),
    customers: customersOf(customers),
    rules: printOf(rules),
    counts: { ...countOf('customers', customers), ...countOf('fee_rules', rules) },
    records: recordsOf(contract, body),
    tallies: operation && outcome.kind === 'answered' ? talliesOf(contract, operation, body) : new Map(),
  };
}

const countOf = (name: string, list: unknown) => (Array.isArray(list) ? { [name]: list.length } : {});

/** The operation of a request; what belongs to none is read by the envelope that all of them share. */
const operationOf = ({ operations }: Contract, id: string | undefined) =>
  operations.find((one) => one.id === id) ?? operations[0];

/** Names under which a body carries a single record. */
function recordsOf({ operations }: Contract, body: unknown): string[] {
  return operations.flatMap(({ schema, envelope: { payload } }) => {
    const records = payload === undefined ? {} : (valueAt(schema.properties, payload) as Schema).properties;
    const names = Object.entries(records ?? {}).flatMap(([name, { type }]) =>
      type === 'object' ? name : [],
    );
    return names.filter((name) => isObject(valueAt(body, `${payload}/${name}`)));
  });
}
