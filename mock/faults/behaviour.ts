import { allOf, answering, type Change, dataOf, has, lacks, operations, set, withoutUser } from '../edits.ts';
import { fullCustomers, identifiers } from '../seed.ts';
import { type Fault, fault } from './fault.ts';

const other = '00000000-0000-4000-8000-000000000000';
const rejecting =
  (code: number): Change =>
  () => ({
    status: code,
    headers: { 'content-type': 'application/json' },
    body: { code, message: 'rejected', data: null },
  });

const rejectedAsSuccess: Change = (answer) => ({
  ...answer,
  body: { code: 40_401, message: null, data: null, error: { reason: 'not found' } },
});

/** Wrong records, rejected requests, and a success where an error response is due. */
export const behaviour: Fault[] = [
  fault('another card', 'getCard/rules/id-is-requested', set('data/card/id', other)),
  fault(
    'another card, only the second time',
    'getCard/rules/id-is-requested',
    set('data/card/id', other),
    ({ parameters }) => parameters.id !== undefined && parameters.id > '8',
  ),
  fault('another customer', 'getCustomer/rules/id-is-requested', set('data/customer/uuid', other)),
  fault(
    'another customer, with an empty uuid',
    'getCustomer/rules/id-is-requested',
    set('data/customer/uuid', ''),
  ),
  ...['limit', 'offset'].flatMap((name) =>
    [400, 404].map((code) =>
      fault(
        `rejects ${name} with HTTP ${code}`,
        `listCustomers/parameters/${name}`,
        rejecting(code),
        has(name),
      ),
    ),
  ),
  ...['User', 'Store'].map((type) =>
    fault(
      `rejects ${type}`,
      'listCustomers/parameters/linked_source_type',
      rejecting(422),
      has('linked_source_type', type),
    ),
  ),
  fault(
    'rejects every parameter together',
    'listCustomers/http/status',
    rejecting(400),
    allOf(has('limit'), has('offset'), has('linked_source_type', 'User')),
  ),
  fault(
    'rejects the plain list',
    'listCustomers/http/status',
    rejecting(400),
    lacks('limit', 'offset', 'linked_source_type'),
  ),
  fault('rejects business', 'getFeeRules/parameters/type', rejecting(400), has('type', 'business')),
  fault('forbids business only', 'getFeeRules/parameters/type', rejecting(403), has('type', 'business')),
  // In an error response nothing but the code is wrong: the form of the rest is open.
  ...operations.map((operation) => fault('rejects in HTTP 200', `${operation}/code`, rejectedAsSuccess)),
  unknown('getCard/parameters/id', identifiers.CARD_IDS),
  unknown('getCustomer/parameters/id', fullCustomers),
  unknown('getFeeRules/parameters/user_id', identifiers.USER_IDS),
];

/** One identifier is not known, though it was configured and others are. */
function unknown(breaks: string, [, second = '']: string[]): Fault {
  const [name = ''] = breaks.split('/').slice(-1);
  return fault('does not know the second record', breaks, rejecting(404), has(name, second));
}

const renameUser: Change = (answer) => {
  const { fee_rules } = dataOf<{ fee_rules: Record<string, unknown>[] }>(answer);
  for (const rule of fee_rules) {
    if ('user_id' in rule) rule.p_user_id = rule.user_id;
    delete rule.user_id;
  }
  return answer;
};

/** What the contract itself says has been seen, and names that it does not know. */
export const observed: Fault[] = [
  {
    ...fault('the user under the name p_user_id', 'getFeeRules/data/fee_rules/*/user_id', renameUser),
    observed: 'deviation',
  },
  fault(
    'p_user_id as a number',
    'getFeeRules/data/fee_rules/*/user_id',
    set('data/fee_rules/0', { fixed_fee: '1', percentage_fee: '1', p_user_id: 5 }),
  ),
  ...operations.map(
    (operation): Fault => ({
      ...fault('a field that is not declared', `${operation}/rules/declared-fields`, set('data/surprise', 1)),
      undeclared: true,
    }),
  ),
];

const grants: [name: string, data: object][] = [
  ['no rules', { fee_rules: [] }],
  ['a rule', { fee_rules: [{ fixed_fee: '0.00', percentage_fee: '0.00' }] }],
  ['rules that are null', { fee_rules: null }],
  ['a success without rules', {}],
];

/** A success where `user_id` is missing. */
export const granted: Fault[] = grants.map(([name, data]) => ({
  name: `getFeeRules: ${name} for a user who is not named`,
  breaks: 'getFeeRules/rules/user-id-required',
  alter: answering('getFeeRules', withoutUser, { body: { code: 200, message: 'ok', data } }),
}));
