import { decimalForm, placesOf, word } from '../../probes/digest/tallied-values.ts';
import { recordAnswer } from '../../probes/inferences.ts';
import type { OperationQuestions } from '../../probes/operation-questions.ts';
import { invented, inventedProbe, pathTo } from '../../probes/probes.ts';

const limits = '/data/card/limits/*';
const at = (...pointers: string[]) => placesOf('getCard', ...pointers);

/** What the contract leaves open about cards. */
export const questions: OperationQuestions = {
  probes: (_, contract) => [
    inventedProbe('unknown-card', pathTo(contract, 'getCard', '', invented.unknown)),
    inventedProbe('malformed-card', pathTo(contract, 'getCard', '', invented.malformed)),
  ],
  tallied: {
    'card-types': { places: at('/data/card/type'), describe: word },
    'card-statuses': { places: at('/data/card/status'), describe: word },
    'limit-periods': { places: at(`${limits}/period`), describe: word },
    'limit-amount-forms': {
      places: at(`${limits}/limit_amount`, `${limits}/used_amount`),
      describe: decimalForm,
    },
  },
  inferences: {
    'unknown-card': recordAnswer('unknown-card', 'card'),
    'malformed-card': recordAnswer('malformed-card', 'card'),
  },
};
