import { type Card, type CardLimit, uuid } from './records.ts';

/** Card without identifiers. `digits` are the first six and the last four digits of its number: `411111 0042`. */
type CardFields = Omit<Card, 'id' | 'reference_id' | 'first_6_digits' | 'last_4_digits'> & { digits: string };

/** Creates a limit of a card (contract 2.3). Its `id` is derived from `limitNumber`; without a number, it has no `id`. */
const createLimit = (
  limitNumber: number | undefined,
  period: CardLimit['period'],
  [limit_amount, used_amount]: [limit: string, used: string],
  status?: CardLimit['status'],
): CardLimit => ({
  ...(limitNumber !== undefined && { id: uuid('card limit', limitNumber) }),
  period,
  limit_amount,
  used_amount,
  ...(status && { status }),
});

const cardFields: CardFields[] = [
  {
    title: 'Office supplies',
    type: 'Virtual',
    status: 'Active',
    settlement_currency: 'USD',
    digits: '411111 0042',
    p_created_at: '2024-02-29T23:59:59.123Z',
    expiration_date: '02/28',
    physical_status: 'Idle',
    limits: [
      createLimit(1, 'Lifetime', ['1000', '0.00'], 'Active'),
      createLimit(2, 'Transaction', ['1000.00', '0.00'], 'Inactive'),
      createLimit(3, 'Monthly', ['500.00', '125.75']),
      createLimit(undefined, 'Daily', ['50', '0']),
    ],
  },
  {
    title: 'Field team, north',
    type: 'Physical',
    status: 'Pending',
    settlement_currency: 'EUR',
    digits: '555555 4444',
    p_created_at: '2024-06-30T08:15:00.123456Z',
    expiration_date: '12/27',
    physical_status: 'Ordered',
    limits: [createLimit(undefined, 'Monthly', ['2500.00', '0.00'], 'Active')],
  },
  {
    title: 'Travel',
    type: 'Physical',
    status: 'Active',
    settlement_currency: 'GBP',
    digits: '400000 0002',
    p_created_at: '2023-12-31T23:59:59.9Z',
    expiration_date: '01/30',
    physical_status: 'Active',
    limits: [
      createLimit(4, 'Daily', ['300.50', '300.50'], 'Active'),
      createLimit(undefined, 'Transaction', ['150', '20.10'], 'Inactive'),
    ],
  },
  {
    title: 'Marketing — spring campaign',
    type: 'Physical',
    status: 'Frozen',
    settlement_currency: 'HKD',
    digits: '222300 9999',
    p_created_at: '2024-01-01T00:00:00.000000001Z',
    expiration_date: '09/26',
    physical_status: 'Locked',
    limits: [],
  },
  {
    title: 'Bürobedarf',
    type: 'Prepaid',
    status: 'Inactive',
    settlement_currency: 'CHF',
    digits: '510510 5100',
    p_created_at: '2022-11-05T14:03:27.45Z',
    expiration_date: '10/25',
    physical_status: 'Suspended',
    limits: [createLimit(5, 'Lifetime', ['100000', '99999.99'])],
  },
  {
    title: 'Cloud hosting (old)',
    type: 'Physical',
    status: 'Closed',
    settlement_currency: 'SGD',
    digits: '601111 1117',
    p_created_at: '2020-07-14T19:30:00.1234567Z',
    expiration_date: '07/23',
    physical_status: 'Terminated',
    limits: [createLimit(6, 'Lifetime', ['0.00', '0.00'], 'Inactive')],
  },
  {
    title: 'Subscriptions',
    type: 'Virtual',
    status: 'Active',
    settlement_currency: 'JPY',
    digits: '356600 0505',
    p_created_at: '2025-03-09T02:30:00.1234Z',
    expiration_date: '11/29',
    physical_status: 'Idle',
    limits: [createLimit(7, 'Monthly', ['120000', '4800'], 'Active')],
  },
  {
    title: 'Événements',
    type: 'Physical',
    status: 'Active',
    settlement_currency: 'EUR',
    digits: '000001 0000',
    p_created_at: '2025-10-26T01:00:00.12345678Z',
    expiration_date: '06/31',
    physical_status: 'Active',
    limits: [createLimit(undefined, 'Daily', ['75.5', '0.00'])],
  },
];

/** Eight cards. Each value of an `enum` occurs in some of them. Each optional field is present in some, and absent in others. */
export const cards: readonly Card[] = cardFields.map(({ digits, ...fields }, index) => ({
  id: uuid('card', index + 1),
  ...fields,
  first_6_digits: digits.slice(0, 6),
  last_4_digits: digits.slice(-4),
  reference_id: uuid('card reference', index + 1),
}));
