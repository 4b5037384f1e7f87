import { type Place, type TalliedValues, word } from '../../probes/digest/tallied-values.ts';
import type { OperationQuestions } from '../../probes/operation-questions.ts';
import { inventedProbe, longValue, pathTo, queryProbes } from '../../probes/probes.ts';
import { describeValue } from '../../redaction/describe-value.ts';
import { numberForm, tokenForm } from './answers/forms.ts';
import { pageAnswers } from './answers/page-answers.ts';
import {
  listsToAskAgain,
  maxAskedAgain,
  relationAnswers,
  relationQueries,
} from './answers/page-relations.ts';
import { sourceAnswers } from './answers/source-answers.ts';
import { presence } from './answers/token-answers.ts';

/** Pages as any client may ask for them. */
const ordinaryQueries = {
  'limit-honoured': 'limit=1',
  'long-page': 'limit=100',
  'longest-page': 'limit=1000',
  'longest-page-moved': 'limit=1000&offset=1',
  'longest-page-of-users': 'limit=1000&linked_source_type=User',
  'longest-page-of-stores': 'limit=1000&linked_source_type=Store',
  ...relationQueries,
};

const queries = {
  'beyond-the-end': 'offset=1000000',
  'repeated-parameter': 'limit=1&limit=2',
  'unknown-parameter': 'conformance_probe=1',
  'long-request': `conformance_probe=${longValue}`,
  'unknown-source': 'linked_source_type=Nobody',
  'source-letter-case': 'linked_source_type=store',
  'empty-source': 'linked_source_type=',
  'limit-zero': 'limit=0',
  'limit-negative': 'limit=-1',
  'limit-not-numeric': 'limit=many',
  'limit-huge': 'limit=99999999999999999999',
  'offset-negative': 'offset=-1',
  'offset-not-numeric': 'offset=many',
};

/** Places below each customer, listed or looked up. */
const ofCustomers = (rest: string): Place[] => [
  ['listCustomers', `/data/customers/*${rest}`],
  ['getCustomer', `/data/customer${rest}`],
];
const token = '/default_payment_token';

const tallied: Record<string, TalliedValues> = {
  'payment-methods': { places: ofCustomers('/default_payment_method'), describe: word },
  'token-states': { places: ofCustomers(`${token}/state`), describe: word },
  'default-flag': {
    places: ofCustomers(`${token}/default`),
    describe: (value) => (typeof value === 'boolean' ? String(value) : describeValue(value)),
  },
  'credit-card-presence': { places: ofCustomers(token), describe: tokenForm },
  'card-number-form': { places: ofCustomers(`${token}/credit_card/number`), describe: numberForm },
};

/** What the contract leaves open about lists of customers, and about what a customer holds. */
export const questions: OperationQuestions = {
  probes: (_, contract) => [
    ...queryProbes(contract, 'listCustomers', ordinaryQueries).map((one) => ({
      ...one,
      ordinary: true as const,
    })),
    ...queryProbes(contract, 'listCustomers', queries),
    inventedProbe('trailing-slash', `${pathTo(contract, 'listCustomers')}/`),
  ],
  tallied,
  identities: { customers: '/uuid' },
  secondPass: listsToAskAgain,
  maxSecondPass: maxAskedAgain,
  inferences: { ...pageAnswers, ...relationAnswers, ...sourceAnswers, 'credit-card-presence': presence },
};
