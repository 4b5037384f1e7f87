import { type Card, uuid } from './records.ts';

/**
 * Fields of a card in `cardFields`, to which `cards` adds the identifiers. `visibleDigits` stands for the two fields
 * `first_6_digits` and `last_4_digits`.
 */
type CardFields = Omit<Card, 'id' | 'reference_id' | 'first_6_digits' | 'last_4_digits'> & {
  /** First six and last four digits of the card number, such as `411111 0042`. */
  visibleDigits: string;
};

const createLimitId = (limitNumber: number) => uuid('card limit', limitNumber);

const cardFields: CardFields[] = [
  {
    title: 'Office supplies',
    type: 'Virtual',
    status: 'Active',
    settlement_currency: 'USD',
    visibleDigits: '411111 0042',
    p_created_at: '2024-02-29T23:59:59.123Z',
    expiration_date: '02/28',
    physical_status: 'Idle',
    limits: [
      {
        id: createLimitId(1),
        period: 'Lifetime',
        limit_amount: '1000',
        used_amount: '0.00',
        status: 'Active',
      },
      {
        id: createLimitId(2),
        period: 'Transaction',
        limit_amount: '1000.00',
        used_amount: '0.00',
        status: 'Inactive',
      },
      { id: createLimitId(3), period: 'Monthly', limit_amount: '500.00', used_amount: '125.75' },
      { period: 'Daily', limit_amount: '50', used_amount: '0' },
    ],
  },
  {
    title: 'Field team, north',
    type: 'Physical',
    status: 'Pending',
    settlement_currency: 'EUR',
    visibleDigits: '555555 4444',
    p_created_at: '2024-06-30T08:15:00.123456Z',
    expiration_date: '12/27',
    physical_status: 'Ordered',
    limits: [{ period: 'Monthly', limit_amount: '2500.00', used_amount: '0.00', status: 'Active' }],
  },
  {
    title: 'Travel',
    type: 'Physical',
    status: 'Active',
    settlement_currency: 'GBP',
    visibleDigits: '400000 0002',
    p_created_at: '2023-12-31T23:59:59.9Z',
    expiration_date: '01/30',
    physical_status: 'Active',
    limits: [
      {
        id: createLimitId(4),
        period: 'Daily',
        limit_amount: '300.50',
        used_amount: '300.50',
        status: 'Active',
      },
      { period: 'Transaction', limit_amount: '150', used_amount: '20.10', status: 'Inactive' },
    ],
  },
  {
    title: 'Marketing — spring campaign',
    type: 'Physical',
    status: 'Frozen',
    settlement_currency: 'HKD',
    visibleDigits: '222300 9999',
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
    visibleDigits: '510510 5100',
    p_created_at: '2022-11-05T14:03:27.45Z',
    expiration_date: '10/25',
    physical_status: 'Suspended',
    limits: [{ id: createLimitId(5), period: 'Lifetime', limit_amount: '100000', used_amount: '99999.99' }],
  },
  {
    title: 'Cloud hosting (old)',
    type: 'Physical',
    status: 'Closed',
    settlement_currency: 'SGD',
    visibleDigits: '601111 1117',
    p_created_at: '2020-07-14T19:30:00.1234567Z',
    expiration_date: '07/23',
    physical_status: 'Terminated',
    limits: [
      {
        id: createLimitId(6),
        period: 'Lifetime',
        limit_amount: '0.00',
        used_amount: '0.00',
        status: 'Inactive',
      },
    ],
  },
  {
    title: 'Subscriptions',
    type: 'Virtual',
    status: 'Active',
    settlement_currency: 'JPY',
    visibleDigits: '356600 0505',
    p_created_at: '2025-03-09T02:30:00.1234Z',
    expiration_date: '11/29',
    physical_status: 'Idle',
    limits: [
      {
        id: createLimitId(7),
        period: 'Monthly',
        limit_amount: '120000',
        used_amount: '4800',
        status: 'Active',
      },
    ],
  },
  {
    title: 'Événements',
    type: 'Physical',
    status: 'Active',
    settlement_currency: 'EUR',
    visibleDigits: '000001 0000',
    p_created_at: '2025-10-26T01:00:00.12345678Z',
    expiration_date: '06/31',
    physical_status: 'Active',
    limits: [{ period: 'Daily', limit_amount: '75.5', used_amount: '0.00' }],
  },
];

/** Eight cards. They show each documented value of an `enum`, and each optional field both present and absent. */
export const cards: readonly Card[] = cardFields.map(({ visibleDigits, ...fields }, index) => ({
  id: uuid('card', index + 1),
  ...fields,
  first_6_digits: visibleDigits.slice(0, 6),
  last_4_digits: visibleDigits.slice(-4),
  reference_id: uuid('card reference', index + 1),
}));
