import { createFeeRule, type FeeRule, uuid } from './records.ts';

const business_id = uuid('business', 1);
const [first = '', second = '', third = ''] = [1, 2, 3].map((ordinal) => uuid('user', ordinal));

/** Fee rules of the mock (contract 4.4). The rules in `users` are for `type=user`, keyed by the parameter `user_id`. */
export const feeRules: {
  business: readonly FeeRule[];
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
