import { cards } from './cards.ts';
import { customers } from './customers.ts';
import { createFeeRule, type FeeRule, uuid } from './records.ts';

export { cards, customers };

const business_id = uuid('business', 1);
const userIds = [1, 2, 3].map((ordinal) => uuid('user', ordinal));
const [first = '', second = '', third = ''] = userIds;

/** Fee rules for `type=business`, and for `type=user`, keyed by `user_id` (contract 4.4). */
export const feeRules: { business: readonly FeeRule[]; users: ReadonlyMap<string, readonly FeeRule[]> } = {
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

/** Identifiers for a run against the mock, keyed by the environment variable that can replace them. */
export const identifiers = {
  CARD_IDS: cards.map(({ id }) => id),
  // These three show every field, no optional field, and a card whose binding failed (contract 2.5).
  CUSTOMER_IDS: customers.slice(0, 3).map(({ customer }) => customer.uuid),
  USER_IDS: userIds,
} satisfies Record<string, string[]>;
