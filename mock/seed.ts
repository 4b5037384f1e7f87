import { cards } from './cards.ts';
import { customers } from './customers.ts';
import { createFeeRule, type FeeRule, uuid } from './records.ts';

export { cards, customers };

const business_id = uuid('business', 1);
const userIds = [1, 2, 3].map((ordinal) => uuid('user', ordinal));
const [first = '', second = '', third = ''] = userIds;

/** Fee rules in the responses of `getFeeRules` (contract 4.4). */
export const feeRules: {
  /** Rules for `type=business`. */
  business: readonly FeeRule[];
  /** Rules for `type=user`, keyed by `user_id`. */
  users: ReadonlyMap<string, readonly FeeRule[]>;
} = {
  business: [createFeeRule({ fixed_fee: '0.30', percentage_fee: '2.90', business_id }), createFeeRule({})],
  users: new Map([
    [first, [createFeeRule({ fixed_fee: '1.00', user_id: first, business_id })]],
    [
      second,
      [
        createFeeRule({ percentage_fee: '1.5', user_id: second }),
        createFeeRule({ fixed_fee: '25', percentage_fee: '0.125', user_id: second }),
      ],
    ],
    [third, [createFeeRule({ percentage_fee: '3', user_id: third })]],
  ]),
};

// The first one has every optional field. The second one has none. The third one has a card whose binding failed (contract 2.5).
const lookedUpCustomers = customers.slice(0, 3);

/** Identifiers that a run against the mock looks up, keyed by environment variable. */
export const identifiers = {
  CARD_IDS: cards.map(({ id }) => id),
  CUSTOMER_IDS: lookedUpCustomers.map(({ customer }) => customer.uuid),
  USER_IDS: userIds,
} satisfies Record<string, string[]>;
