import { text } from '../edits.ts';
import { assign, cycling, differingIn, each, everywhere, type Fields, feeRules, inTurn } from './variant.ts';

const rules = 'getFeeRules/data/fee_rules/*';
const fees = (...numbers: number[]) => numbers.map((fee) => ({ fixed_fee: fee, percentage_fee: fee }));

const rename = (rule: Fields) => {
  if ('user_id' in rule) rule.p_user_id = rule.user_id;
  delete rule.user_id;
};

/** Conforming but for what the contract reports to have been observed (contract 2.3 and 2.7). */
export const observed = differingIn('fee rules', [
  {
    name: 'fees as JSON numbers of every form',
    alter: feeRules(fees(0, 1, 2.9, -1, 1e21, 1e-7, 123456789012345)),
    deviates: [`${rules}/fixed_fee`, `${rules}/percentage_fee`],
  },
  {
    name: 'fees as JSON numbers with zeros behind the point',
    aspect: 'writing',
    alter: everywhere(text((json) => json.replace(/("\w+_fee"):"([^"]*)"/g, '$1:$2'))),
    deviates: [`${rules}/fixed_fee`, `${rules}/percentage_fee`],
  },
  {
    name: 'only the fixed fee as a JSON number',
    alter: assign('feeRule', { fixed_fee: 0.3 }),
    deviates: [`${rules}/fixed_fee`],
  },
  {
    name: 'only some percentage fees as JSON numbers',
    alter: cycling('feeRule', 'percentage_fee', [1.5, '1.5']),
    deviates: [`${rules}/percentage_fee`],
  },
  { name: 'the user as p_user_id', alter: each('feeRule', rename), deviates: [`${rules}/user_id`] },
  {
    name: 'the user as p_user_id, and fees as JSON numbers',
    alter: inTurn(each('feeRule', rename), assign('feeRule', { fixed_fee: 1, percentage_fee: 0 })),
    deviates: [`${rules}/fixed_fee`, `${rules}/percentage_fee`, `${rules}/user_id`],
  },
  {
    name: 'limits for periods that are not known to occur',
    aspect: 'card',
    alter: cycling('limit', 'period', ['Weekly', 'lifetime', '']),
    deviates: ['getCard/data/card/limits/*/period/values-that-occur'],
  },
]);
