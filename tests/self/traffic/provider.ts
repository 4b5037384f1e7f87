import { gzipSync } from 'node:zlib';
import { identifiers } from '../../../mock/seed.ts';
import type { Alter, MockAnswer } from '../../../mock/server.ts';

const { CARD_IDS: cardIds, CUSTOMER_IDS: customerIds, USER_IDS: userIds } = identifiers;
const [card, movedCard, busyCard, brokenCard] = cardIds;
const [customer, cutCustomer] = customerIds;
const cards = '/svc/ts/api/v1/openapi/cards';
const customers = '/svc/payment/api/v1/openapi/customers';
const feeRules = '/api/v1/openapi/digital_wallets/fee_rule';

/** What is asked while recorders listen, in this order. */
export const paths = [
  `${cards}/${card}`,
  `${customers}?limit=2`,
  `${customers}/${customer}`,
  `${feeRules}?type=business`,
  `${feeRules}?type=user&user_id=${userIds[1]}`,
  `${cards}/00000000-0000-4000-8000-000000000000`,
  `${cards}/${movedCard}`,
  `${cards}/${busyCard}`,
  `${cards}/${brokenCard}`,
  `${customers}/${cutCustomer}`,
  '/elsewhere',
];

/** Of everything that a recording can hold: compression, a redirect, errors, a connection that is cut. */
const oddities: Alter = (answer, { path }) => {
  const status = new Map([
    [`${cards}/${busyCard}`, 429],
    [`${cards}/${brokenCard}`, 503],
  ]).get(path);
  if (status !== undefined) return { ...answer, status };
  if (path === `${cards}/${movedCard}`) return moved(answer);
  if (path === `${customers}/${cutCustomer}`) return { ...answer, abort: 'middle' };
  return path.startsWith(`${customers}?`) ? compressed(answer) : answer;
};

function moved(answer: MockAnswer): MockAnswer {
  return { ...answer, status: 302, headers: { ...answer.headers, location: `${cards}/${card}` } };
}

function compressed(answer: MockAnswer): MockAnswer {
  const raw = gzipSync(JSON.stringify(answer.body));
  return { ...answer, raw, headers: { ...answer.headers, 'content-encoding': 'gzip' } };
}

/** Breaks two requirements: one that a value shows, and one that only the text of the response shows. */
const faults: Alter = (answer, { path }) => {
  const text = JSON.stringify(answer.body);
  if (path === `${cards}/${card}`) return { ...answer, raw: text.replace(/"\d\d\/\d\d"/, '"2031-04"') };
  if (path.startsWith(feeRules)) return { ...answer, raw: text.replace('{', '{"code":200,') };
  return answer;
};

/** The providers that are recorded. */
export const alterations = {
  conforming: oddities,
  faulty: async (answer, request) => faults(await oddities(answer, request), request),
} satisfies Record<string, Alter>;

export type Provider = keyof typeof alterations;
