import { recordAnswer } from '../../probes/inferences.ts';
import type { OperationQuestions } from '../../probes/operation-questions.ts';
import { invented, inventedProbe, pathTo } from '../../probes/probes.ts';

/** What the contract leaves open about the lookup of a customer; `listCustomers` reads what its records hold. */
export const questions: OperationQuestions = {
  probes: (_, contract) => [
    inventedProbe('unknown-customer', pathTo(contract, 'getCustomer', '', invented.unknown)),
    inventedProbe('malformed-customer', pathTo(contract, 'getCustomer', '', invented.malformed)),
  ],
  inferences: {
    'unknown-customer': recordAnswer('unknown-customer', 'customer'),
    'malformed-customer': recordAnswer('malformed-customer', 'customer'),
  },
};
