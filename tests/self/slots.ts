import { defaultChoices } from '../../mock/choices.ts';
import type { Fault } from '../../mock/faults/fault.ts';
import { operations } from '../../mock/operations.ts';
import { customers, identifiers } from '../../mock/seed.ts';
import type { Alter, MockRequest } from '../../mock/server.ts';
import type { Observation } from '../client/observation.ts';

/** Requests of one operation that both the mock and the observations tell from its others, by one parameter. */
export interface Slot {
  operation: string;
  parameter: string;
  /** What is sent; undefined where the parameter is left out. */
  value: string | undefined;
  /** What observations show of that. */
  label: string | undefined;
}

const named = (operation: string, parameter: string, variable: string, values: string[]): Slot[] =>
  values.map((value, index) => ({ operation, parameter, value, label: `{${variable}[${index}]}` }));

const sources = [undefined, 'User', 'Store'];
const failed = customers.filter(({ customer: { default_payment_token: token } }) =>
  Boolean(token?.error_code && token.credit_card),
);

/** Whom a proof asks for: few, and with every field that there is: none has them all. */
export const asked = {
  cardIds: identifiers.cardIds.slice(0, 4),
  customerIds: [...customers.slice(0, 1), ...failed.slice(0, 3)].map(({ customer }) => customer.uuid),
  userIds: identifiers.userIds,
};

export const slots: Slot[] = [
  ...named('getCard', 'id', 'CARD_IDS', asked.cardIds),
  ...named('getCustomer', 'id', 'CUSTOMER_IDS', asked.customerIds),
  ...named('getFeeRules', 'user_id', 'USER_IDS', asked.userIds),
  { operation: 'getFeeRules', parameter: 'user_id', value: undefined, label: undefined },
  ...sources.map((source) => ({
    operation: 'listCustomers',
    parameter: 'linked_source_type',
    value: source,
    label: source,
  })),
];

/** Whether an observation is one of a slot. */
export const isOf = ({ operation, parameter, label }: Slot, observation: Observation): boolean =>
  observation.operation === operation && observation.parameters[parameter] === label;

/** A fault that shows in the answers to a slot alone. */
export const kept =
  ({ alter }: Fault, { operation, parameter, value }: Slot): Alter =>
  (answer, request) =>
    request.operation === operation && request.parameters[parameter] === value
      ? alter(answer, request)
      : answer;

/** Whether a fault changes anything in the answers to a slot: not every record has every field. */
export function changes({ alter }: Fault, { operation, parameter, value }: Slot): boolean {
  const route = operations.find((one) => one.operation === operation);
  const kind = operation === 'getFeeRules' ? { type: value ? 'user' : 'business' } : {};
  const parameters = { ...kind, ...(value === undefined ? {} : { [parameter]: value }) };
  const answer = structuredClone(route?.answer(parameters, defaultChoices));
  const before = JSON.stringify(answer);
  const request = { operation, parameters } as unknown as MockRequest;
  return answer !== undefined && JSON.stringify(alter(answer, request)) !== before;
}
