import { type Choices, defaultChoices } from '../../mock/choices.ts';
import type { Fault } from '../../mock/faults/fault.ts';
import { operations } from '../../mock/operations.ts';
import { customers, identifiers } from '../../mock/seed.ts';
import type { Alter, MockRequest } from '../../mock/server.ts';
import type { Observation } from '../client/observation.ts';

/** Requests of one operation that both the mock and the observations tell from its others, by some parameters. */
export interface Slot {
  operation: string;
  /** What is sent; undefined where the parameter is left out. */
  sent: Record<string, string | undefined>;
  /** What observations show of that. */
  shown: Record<string, string | undefined>;
}

const named = (operation: string, parameter: string, variable: string, values: string[]): Slot[] =>
  values.map((value, index) => ({
    operation,
    sent: { [parameter]: value },
    shown: { [parameter]: `{${variable}[${index}]}` },
  }));

/** The same for every target, so that it is shown as it is sent. */
const literally = (operation: string, sent: Slot['sent']): Slot => ({ operation, sent, shown: sent });

/** Pages are short where that does not matter: hundreds of runs are to be quick. */
export const short: Pick<Choices, 'defaultLimit'> = { defaultLimit: 10 };

/** First pages: what is judged of a later one depends on what the first has shown. */
const listed = [undefined, 'User', 'Store'].flatMap((linked_source_type) =>
  [undefined, String(short.defaultLimit)].map((limit) =>
    literally('listCustomers', { linked_source_type, limit, offset: undefined }),
  ),
);

const failed = customers.filter(({ customer: { default_payment_token: token } }) =>
  Boolean(token?.error_code && token.credit_card),
);

/** Whom a proof asks for: few, and with every field that there is: none has them all. */
export const asked: Record<'CARD_IDS' | 'CUSTOMER_IDS' | 'USER_IDS', string[]> = {
  CARD_IDS: identifiers.CARD_IDS,
  CUSTOMER_IDS: [...customers.slice(0, 1), ...failed.slice(0, 7)].map(({ customer }) => customer.uuid),
  USER_IDS: identifiers.USER_IDS,
};

export const slots: Slot[] = [
  ...named('getCard', 'id', 'CARD_IDS', asked.CARD_IDS),
  ...named('getCustomer', 'id', 'CUSTOMER_IDS', asked.CUSTOMER_IDS),
  ...named('getFeeRules', 'user_id', 'USER_IDS', asked.USER_IDS),
  literally('getFeeRules', { user_id: undefined }),
  ...listed,
];

const agree = (some: Slot['sent'], parameters: Slot['sent']) =>
  Object.entries(some).every(([name, value]) => parameters[name] === value);

/** Whether an observation is one of a slot. */
export const isOf = ({ operation, shown }: Slot, observation: Observation): boolean =>
  observation.operation === operation && agree(shown, observation.parameters);

/** A fault that shows in the answers to a slot alone. */
export const kept =
  ({ alter }: Pick<Fault, 'alter'>, { operation, sent }: Pick<Slot, 'operation' | 'sent'>): Alter =>
  (answer, request) =>
    request.operation === operation && agree(sent, request.parameters) ? alter(answer, request) : answer;

/** Whether a fault changes anything in the answers to a slot: not every record has every field. */
export function changes({ alter }: Fault, slot: Slot): boolean {
  const { request, usual } = usualOf(slot);
  return JSON.stringify(alter(JSON.parse(usual), request)) !== usual;
}

const known = new Map<Slot, { request: MockRequest; usual: string }>();

/** A request of a slot, and how the mock answers it. */
function usualOf(slot: Slot) {
  const found = known.get(slot) ?? ask(slot);
  known.set(slot, found);
  return found;
}

function ask({ operation, sent }: Slot) {
  const kind = operation === 'getFeeRules' ? { type: sent.user_id ? 'user' : 'business' } : {};
  const given = Object.entries(sent).filter(([, value]) => value !== undefined);
  const parameters = { ...kind, ...Object.fromEntries(given) };
  const route = operations.find((one) => one.operation === operation);
  const usual = JSON.stringify(route?.answer(parameters, { ...defaultChoices, ...short }));
  return { request: { operation, parameters } as unknown as MockRequest, usual };
}
