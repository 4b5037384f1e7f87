import { cards } from './cards.ts';
import { type Choices, defaultChoices } from './choices.ts';
import {
  type CustomerFilter,
  type CustomerStore,
  createCustomerStore,
  customers,
  type SeededCustomer,
} from './customers.ts';
import { sources } from './records.ts';
import { createErrorResponse, type MockResponse, success } from './responses.ts';
import { feeRules } from './seed.ts';

/** Values of path and query parameters, such as `{ id: '7c0f…' }`. */
export type Parameters = Readonly<Record<string, string>>;
type Handler = (parameters: Parameters, choices: Choices, store?: CustomerStore) => MockResponse;

const seededStore = createCustomerStore(customers);

export interface Route {
  operation: string;
  path: string;
  query: readonly string[];
  /** Identifiers of existing records, keyed by environment variable: `{ CARD_IDS: ['7c0f…'] }`. */
  identifiers?: Readonly<Record<string, readonly string[]>>;
  handle: Handler;
}

function matchDocumentedValue<T extends string>(
  text: string | undefined,
  documentedValues: readonly T[],
  choices: Choices,
): T | undefined {
  if (text === undefined) return undefined;
  if (choices.caseSensitiveEnums) return documentedValues.find((value) => value === text);
  const lowerCaseText = text.toLowerCase();
  return documentedValues.find((value) => value.toLowerCase() === lowerCaseText);
}

const getCard: Handler = ({ id }, choices) => {
  const card = cards.find((candidate) => candidate.id === id);
  return card ? success({ card }) : createErrorResponse(404, 'card not found', choices);
};

function parseWholeNumber(text: string | undefined, defaultNumber: number): number | undefined {
  if (text === undefined) return defaultNumber;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

function readPageLength(parameters: Parameters, choices: Choices): number | undefined {
  const { defaultLimit, maxLimit, limitIgnored, zeroLimit } = choices;
  const limit = limitIgnored ? defaultLimit : parseWholeNumber(parameters.limit, defaultLimit);
  if (limit === undefined) return undefined;
  if (limit === 0 && zeroLimit === 'rejected') return undefined;
  return Math.min(limit, maxLimit);
}

function computePageRange(
  parameters: Parameters,
  choices: Choices,
): { start: number; end: number } | undefined {
  const { offsetCounts } = choices;
  const pageLength = readPageLength(parameters, choices);
  const offset = offsetCounts === 'ignored' ? 0 : parseWholeNumber(parameters.offset, 0);
  if (pageLength === undefined || offset === undefined) return undefined;
  const start = offsetCounts === 'pages' ? offset * pageLength : offset;
  return { start, end: start + pageLength };
}

function leaveOutMessage(response: MockResponse): MockResponse {
  const { message: _, ...bodyWithoutMessage } = response.body as Record<string, unknown>;
  return { ...response, body: bodyWithoutMessage };
}

interface ListFilter {
  documentedValues: readonly string[];
  matches(customer: SeededCustomer, value: string): boolean;
}

const listFilters: Readonly<Record<string, ListFilter>> = {
  linked_source_type: {
    documentedValues: sources,
    matches: ({ linkedTo }, value) => linkedTo.some((source) => source === value),
  },
};

function isListedFor(parameters: Parameters, customer: SeededCustomer, choices: Choices): boolean {
  for (const [name, filter] of Object.entries(listFilters)) {
    const value = matchDocumentedValue(parameters[name], filter.documentedValues, choices);
    // A missing parameter, or one with an undocumented value, filters nothing.
    if (value === undefined) continue;
    if (!filter.matches(customer, value)) return false;
  }
  return true;
}

/**
 * Selects the customers that a response lists. Providers of the tests that make pages of their own call this function, so that
 * they apply the parameters of the list as the mock does.
 */
export const selectListed = (parameters: Parameters, storedCustomers: readonly SeededCustomer[]) =>
  storedCustomers
    .filter((customer) => isListedFor(parameters, customer, defaultChoices))
    .map(({ customer }) => customer);

function findInvalidFilter(parameters: Parameters, choices: Choices): string | undefined {
  for (const [name, { documentedValues }] of Object.entries(listFilters)) {
    const value = parameters[name];
    if (value !== undefined && !matchDocumentedValue(value, documentedValues, choices)) return name;
  }
  return undefined;
}

function createFilter(parameters: Parameters, choices: Choices): CustomerFilter | 'all' {
  const isFiltered = Object.keys(listFilters).some((name) => parameters[name] !== undefined);
  // The store lists `all` faster, because it need not look at the customers before the page.
  if (!isFiltered) return 'all';
  return (customer) => isListedFor(parameters, customer, choices);
}

function addDefaultSource(parameters: Parameters, { defaultSource }: Choices): Parameters {
  if (defaultSource === 'all') return parameters;
  return { linked_source_type: defaultSource, ...parameters };
}

const listCustomers: Handler = (requestParameters, choices, store = seededStore) => {
  const parameters = addDefaultSource(requestParameters, choices);
  const invalidFilter = findInvalidFilter(parameters, choices);
  if (invalidFilter) return createErrorResponse(400, `invalid ${invalidFilter}`, choices);
  const range = computePageRange(parameters, choices);
  if (!range) return createErrorResponse(400, 'limit and offset must be whole numbers', choices);
  const filter = createFilter(parameters, choices);
  const response = success({ customers: store.list(filter, range.start, range.end) });
  // `message` is optional here (contract 2.1). Only responses without `offset` have it, so that a run sees the field present and absent.
  const hasMessage = parameters.offset === undefined;
  return hasMessage ? response : leaveOutMessage(response);
};

const getCustomer: Handler = ({ id }, choices, store = seededStore) => {
  const customer = store.find(id);
  return customer ? success({ customer }) : createErrorResponse(404, 'customer not found', choices);
};

const getFeeRules: Handler = ({ type, user_id }, choices) => {
  const ruleType = matchDocumentedValue(type, ['business', 'user'], choices);
  if (!ruleType) return createErrorResponse(400, 'type must be business or user', choices);
  if (ruleType === 'business') return success({ fee_rules: feeRules.business });
  if (!user_id) return createErrorResponse(400, 'user_id is required when type is user', choices);
  const rules = feeRules.users.get(user_id);
  return rules ? success({ fee_rules: rules }) : createErrorResponse(404, 'user not found', choices);
};

export const operations = [
  {
    operation: 'getCard',
    path: '/svc/ts/api/v1/openapi/cards/:id',
    query: [],
    identifiers: { CARD_IDS: cards.map(({ id }) => id) },
    handle: getCard,
  },
  {
    operation: 'listCustomers',
    path: '/svc/payment/api/v1/openapi/customers',
    query: ['limit', 'offset', ...Object.keys(listFilters)],
    handle: listCustomers,
  },
  {
    operation: 'getCustomer',
    path: '/svc/payment/api/v1/openapi/customers/:id',
    query: [],
    // The first customer has every optional field. The second has none. The third has a card whose binding failed (contract 2.5).
    identifiers: { CUSTOMER_IDS: customers.slice(0, 3).map(({ customer }) => customer.uuid) },
    handle: getCustomer,
  },
  {
    operation: 'getFeeRules',
    path: '/api/v1/openapi/digital_wallets/fee_rule',
    query: ['type', 'user_id'],
    identifiers: { USER_IDS: [...feeRules.users.keys()] },
    handle: getFeeRules,
  },
] as const satisfies readonly Route[];

/** Identifiers of records in the mock, such as `{ CARD_IDS: ['7c0f…'] }`. A run against the mock uses these values by default. */
export const knownIdentifiers: Readonly<Record<string, readonly string[]>> = Object.assign(
  {},
  ...operations.map((route: Route) => route.identifiers),
);

export type Operation = (typeof operations)[number];
