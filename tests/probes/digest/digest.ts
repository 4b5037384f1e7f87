import type { Contract } from '../../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../../schemas/judge/judgement.ts';
import type { OperationQuestions } from '../operation-questions.ts';
import { fieldsOf, formOf } from './form.ts';
import { knownHeaders } from './headers.ts';
import { announcementsOf, type ListDigest, listsOf, recordsIn, totalsOf } from './lists.ts';
import { type Outcome, outcomeOfAnswer } from './outcome.ts';
import { commonTallied } from './places.ts';
import type { TalliedValues } from './tallied-values.ts';
import { type Tally, talliesOf } from './tallies.ts';

/** All that is kept of an answer: what inferences need, small however large the body, words of the target in drafts. */
export interface Digest {
  outcome: Outcome;
  status: number;
  contentType: string;
  /** Headers that questions ask for, with the known words of their values. */
  headers: Map<string, string[]>;
  /** What kind of body it is, and its fields if it is an object. */
  form: string;
  fields: string[];
  /** Headers and fields that may announce how many records there are. */
  announcements: string[];
  /** Numbers that are announced as totals of records. */
  totals: number[];
  /** The lists that it carries, by name. */
  lists: Record<string, ListDigest>;
  /** Which records there are. */
  records: string[];
  tallies: Map<string, Tally>;
}

/** What questions need of an answer beside what every one shows. */
export interface DigestFields {
  tallied: Record<string, TalliedValues>;
  identities: Record<string, string>;
}

/** What all questions need. */
export const digestFields = (contract: Contract, questions: OperationQuestions[]): DigestFields => ({
  tallied: Object.assign(commonTallied(contract), ...questions.map(({ tallied }) => tallied)),
  identities: Object.assign({}, ...questions.map(({ identities }) => identities)),
});

/** A digest of an answer whose body was parsed, `undefined` where it is no JSON. */
export function digestOf(
  contract: Contract,
  operation: string | undefined,
  answer: HttpResponse,
  body: unknown,
  { tallied, identities }: DigestFields,
): Digest {
  const contentType = (answer.contentType ?? '').slice(0, 200);
  const own = operationOf(contract, operation);
  const outcome = outcomeOfAnswer(own, answer.status, body);
  return {
    outcome,
    status: answer.status,
    contentType,
    headers: knownHeaders(answer.headers ?? {}),
    form: formOf(answer.body, body, contentType),
    fields: fieldsOf(body),
    announcements: announcementsOf(own?.envelope.payload, answer.headers ?? {}, body),
    totals: totalsOf(own?.envelope.payload, answer.headers ?? {}, body),
    lists: listsOf(contract, body, identities),
    records: recordsIn(contract, body),
    tallies:
      operation && outcome.kind === 'answered' ? talliesOf(contract, operation, body, tallied) : new Map(),
  };
}

/** The operation of a request; what belongs to none is read by the envelope that all of them share. */
const operationOf = ({ operations }: Contract, id: string | undefined) =>
  operations.find((one) => one.id === id) ?? operations[0];
