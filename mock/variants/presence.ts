import { altering } from '../edits.ts';
import type { Alter } from '../server.ts';
import {
  type Aspect,
  aspectOf,
  assign,
  cycling,
  differingIn,
  each,
  type Fields,
  inTurn,
  type Kind,
  naming,
  type Variant,
  without,
} from './variant.ts';

const creditCard = {
  number: '4242424242424242',
  exp_month: '1',
  exp_year: '31',
  holder_name: 'A B',
  brand: 'Visa',
  billing_currency: 'USD',
};
const token = { token_type: 'CreditCard', token: 't', state: 's', default: false, credit_card: creditCard };

/** Every optional field (contract 2), those that hold others first. */
const optional: [Kind, Fields][] = [
  ['limit', { id: '2f6c8f0a-1111-4c3b-9b1e-6d2a4c5e7f90', status: 'Inactive' }],
  ['customer', { default_payment_token: token }],
  ['customer', { name: 'A', email: 'a@example.com', phone: '1', default_payment_method: 'x' }],
  ['token', { error_code: 'E1', error_msg: 'declined', credit_card: creditCard }],
  ['creditCard', creditCard],
  ['feeRule', { user_id: '', business_id: 'b' }],
];

/** Every optional field is there, in all records or in those of one aspect. */
const all = (aspect?: Aspect): Alter =>
  inTurn(
    ...optional
      .filter(([kind]) => !aspect || aspectOf[kind] === aspect)
      .map(([kind, fields]) => assign(kind, fields)),
    naming('u'),
  );

const withoutCard = ['listCustomers/data/customers/*', 'getCustomer/data/customer'].map(
  (record) => `${record}/default_payment_token/credit_card/present-with-card-token`,
);
const deviates = ([, fields]: [Kind, Fields]) =>
  Object.hasOwn(fields, 'credit_card') ? { deviates: withoutCard } : {};

/** Of the optional fields of a record, all are left out. */
const none = ([kind, fields]: [Kind, Fields]): Variant => ({
  ...deviates([kind, fields]),
  name: `no ${kind} with ${Object.keys(fields).join(', ')}`,
  aspect: aspectOf[kind],
  alter: inTurn(all(aspectOf[kind]), without(kind, ...Object.keys(fields))),
});

/** Of the optional fields of a record, all but one are left out, each time another. */
const oneAtATime = ([kind, fields]: [Kind, Fields]): Variant => ({
  ...deviates([kind, fields]),
  name: `a ${kind} with only one of ${Object.keys(fields).join(', ')}`,
  aspect: aspectOf[kind],
  alter: inTurn(
    all(aspectOf[kind]),
    each(kind, (record, index) => {
      const names = Object.keys(fields);
      for (const name of names) if (name !== names[index % names.length]) delete record[name];
    }),
  ),
});

const withoutMessage: Alter = altering('listCustomers', (answer) => {
  delete (answer.body as Fields).message;
  return answer;
});

/** Fields that may be left out, there and not there. */
export const presence: Variant[] = [
  { name: 'every optional field present', alter: all() },
  {
    name: 'every optional field absent',
    alter: inTurn(...optional.map(([kind, fields]) => without(kind, ...Object.keys(fields)))),
  },
  ...optional.map(none),
  ...optional.filter(([, fields]) => Object.keys(fields).length > 1).map(oneAtATime),
  { name: 'a list without a message', alter: withoutMessage },
  { name: 'a list with a message', alter: assign('envelope', { message: 'ok' }) },
  ...differingIn('customers', [
    { name: 'a credit card without fields', alter: assign('token', { credit_card: {} }) },
    {
      name: 'a token of type CreditCard without credit_card',
      deviates: withoutCard,
      alter: inTurn(assign('token', { token_type: 'CreditCard' }), without('token', 'credit_card')),
    },
    {
      name: 'a credit card behind a token of another type',
      alter: inTurn(
        all('customers'),
        cycling('token', 'token_type', ['WechatPayAutoDebit', 'AlipayAutoDebit']),
      ),
    },
    {
      name: 'an error code without a message',
      alter: inTurn(assign('token', { error_code: 'E' }), without('token', 'error_msg')),
    },
    {
      name: 'an error message without a code',
      alter: inTurn(assign('token', { error_msg: 'no' }), without('token', 'error_code')),
    },
    { name: 'no token that is the default one', alter: assign('token', { default: false }) },
    { name: 'only tokens that are the default one', alter: assign('token', { default: true }) },
  ]),
];
