import { altering } from '../../../mock/edits.ts';
import type { Alter, MockAnswer } from '../../../mock/server.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import type { Canaries } from './canaries.ts';
import { greenRecord, provider, uuid } from './marked.ts';

type Fields = { [name: string]: unknown };

const dataOf = <T>({ body }: MockAnswer) => (body as { data: T }).data;

/** Edits each success of an operation. */
const editing = <T>(operation: string, edit: (data: T) => void): Alter =>
  altering(operation, (answer) => {
    edit(dataOf<T>(answer));
    return answer;
  });

/** How many requirements `contradicting` breaks. */
export const contradictions = 4;

/** Each answer keeps its rules, and they contradict each other; both sides hold marks. */
export const contradicting = (canaries: Canaries): Alter =>
  inTurn(
    provider(greenRecord(canaries)),
    editing<{ card: Fields }>('getCard', ({ card }) => {
      card.reference_id = uuid(canaries, 'a reference that changes');
    }),
    editing<{ customers: Fields[] }>('listCustomers', ({ customers }) => {
      const [first, , third] = customers;
      const reference_number = canaries.text('reference number of another');
      if (first && third) Object.assign(third, { uuid: first.uuid, reference_number });
    }),
    editing<{ customer: Fields }>('getCustomer', ({ customer }) => {
      customer.reference_number = canaries.text('another reference number');
    }),
    editing<{ fee_rules: Fields[] }>('getFeeRules', ({ fee_rules }) => {
      for (const rule of fee_rules) rule.user_id = canaries.text('another user');
    }),
  );
