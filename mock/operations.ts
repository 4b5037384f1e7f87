import { type Choices, defaultChoices } from './choices.ts';
import type { CustomerFilter, CustomerStore, SeededCustomer } from './customers.ts';
import { createPopulation } from './population.ts';
import { sources } from './records.ts';
import { createErrorResponse, type MockResponse, success } from './responses.ts';
import { cards, feeRules, identifiers } from './seed.ts';

/** Parameters of path and query, keyed by name: `{ id: '7c0f…' }`. */
export type Parameters = Readonly<Record<string, string>>;
type Handler = (parameters: Parameters, choices: Choices, store?: CustomerStore) => MockResponse;

const seededCustomers = createPopulation();

export interface Route {
  operation: string;
  /** Path after the base address: `/svc/ts/api/v1/openapi/cards/:id`. */
  path: string;
  query: readonly string[];
  /** Identifiers that the mock knows, keyed by the environment variable for them: `{ CARD_IDS: ['7c0f…'] }`. */
  identifiers?: Readonly<Record<string, readonly string[]>>;
  handle: Handler;
}

/** Finds the documented value, such as `User`, that equals a text. Ignores letter case unless `caseSensitiveEnums` is true. */
function matchDocumentedValue<T extends string>(
  text: string | undefined,
  documentedValues: readonly T[],
  choices: Choices,
): T | undefined {
  const normalize = (value = '') => (choices.caseSensitiveEnums ? value : value.toLowerCase());
  return documentedValues.find((value) => normalize(value) === normalize(text));
}

const getCard: Handler = ({ id }, choices) => {
  const card = cards.find((candidate) => candidate.id === id);
  return card ? success({ card }) : createErrorResponse(404, 'card not found', choices);
};

/** Parses a text of digits, such as `20`. Returns `fallback` if `text` is undefined, and undefined for any other text. */
function parseDigits(text: string | undefined, fallback: number): number | undefined {
  if (text === undefined) return fallback;
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** Computes the positions of the customers on a page: `start` to `end - 1`. Undefined if `limit` or `offset` is invalid. */
function computePageRange(
  parameters: Parameters,
  choices: Choices,
): { start: number; end: number } | undefined {
  const { defaultLimit, maxLimit, limitIgnored, offsetCounts } = choices;
  const limit = limitIgnored ? defaultLimit : parseDigits(parameters.limit, defaultLimit);
  const offset = offsetCounts === 'ignored' ? 0 : parseDigits(parameters.offset, 0);
  if (limit === undefined || offset === undefined) return undefined;
  if (limit === 0 && choices.zeroLimit === 'rejected') return undefined;
  const pageLength = Math.min(limit, maxLimit);
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

/** Filters of the customers list, keyed by query parameter (contract 4.2). To add a filter, add an entry here. */
const listFilters: Readonly<Record<string, ListFilter>> = {
  linked_source_type: {
    documentedValues: sources,
    matches: ({ linkedTo }, value) => linkedTo.some((source) => source === value),
  },
};

/** Returns whether the list with these query parameters contains a customer. Ignores a parameter with an undocumented value. */
export const isListedFor = (parameters: Parameters, customer: SeededCustomer, choices = defaultChoices) =>
  Object.entries(listFilters).every(([name, filter]) => {
    const value = matchDocumentedValue(parameters[name], filter.documentedValues, choices);
    return value === undefined || filter.matches(customer, value);
  });

/** Returns the name of the first filter whose value is not documented. */
function findInvalidFilter(parameters: Parameters, choices: Choices): string | undefined {
  for (const [name, { documentedValues }] of Object.entries(listFilters)) {
    const value = parameters[name];
    if (value !== undefined && !matchDocumentedValue(value, documentedValues, choices)) return name;
  }
  return undefined;
}

/** Creates the filter of a list. If no query parameter filters the list, returns `all`, which the store lists faster. */
function createFilter(parameters: Parameters, choices: Choices): CustomerFilter | 'all' {
  const isFiltered = Object.keys(listFilters).some((name) => parameters[name] !== undefined);
  return isFiltered ? (customer) => isListedFor(parameters, customer, choices) : 'all';
}

const listCustomers: Handler = (parameters, choices, store = seededCustomers) => {
  const { defaultSource } = choices;
  const defaultFilter: Parameters = defaultSource === 'all' ? {} : { linked_source_type: defaultSource };
  const parametersWithDefault = { ...defaultFilter, ...parameters };
  const invalidFilter = findInvalidFilter(parametersWithDefault, choices);
  if (invalidFilter) return createErrorResponse(400, `invalid ${invalidFilter}`, choices);
  const range = computePageRange(parameters, choices);
  if (!range) return createErrorResponse(400, 'limit and offset must be whole numbers', choices);
  const filter = createFilter(parametersWithDefault, choices);
  const response = success({ customers: store.list(filter, range.start, range.end) });
  // Pages with `offset` lack `message`, which is optional (contract 2.1), so that a run sees the field both present and absent.
  return parameters.offset === undefined ? response : leaveOutMessage(response);
};

const getCustomer: Handler = ({ id }, choices, store = seededCustomers) => {
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
    identifiers: { CARD_IDS: identifiers.CARD_IDS },
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
    identifiers: { CUSTOMER_IDS: identifiers.CUSTOMER_IDS },
    handle: getCustomer,
  },
  {
    operation: 'getFeeRules',
    path: '/api/v1/openapi/digital_wallets/fee_rule',
    query: ['type', 'user_id'],
    identifiers: { USER_IDS: identifiers.USER_IDS },
    handle: getFeeRules,
  },
] as const satisfies readonly Route[];

export const knownIdentifiers: Readonly<Record<string, readonly string[]>> = Object.assign(
  {},
  ...operations.map((route: Route) => route.identifiers),
);

export type Operation = (typeof operations)[number];
