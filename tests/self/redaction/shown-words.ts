import type { Alter } from '../../../mock/server.ts';
import type { Target } from '../../../src/client/target.ts';
import { altering, set } from '../harness/edits.ts';
import { briefBehaviourOf } from '../harness/observing.ts';
import { inTurn } from '../proof/variants/variant.ts';

/** Says a word wherever a word of a target may be shown. */
export const saying = (word: string): Alter =>
  inTurn(
    altering('getCard', set('data/card/status', word)),
    altering('getCard', set('data/card/physical_status', word)),
    altering('getCustomer', set(`data/${word}`, 1)),
    altering('listCustomers', set('data/customers/0/default_payment_token/token_type', word)),
    (answer, { operation, parameters }) =>
      operation === 'getFeeRules' && parameters.type === 'business'
        ? { ...answer, headers: { 'content-type': `text/${word.toLowerCase().replace(/[^a-z]/g, '')}` } }
        : answer,
    (answer) =>
      answer.status < 400 ? answer : { ...answer, body: { code: answer.status, [word]: 1, rest: null } },
  );

/** How often a word is in what would be written, in any letter case, with any separators. */
export function timesShown(word: string, run: unknown): number {
  const fold = (text: string) => text.toLowerCase().replace(/[-_ ]/g, '');
  return fold(JSON.stringify(run)).split(fold(word)).length - 1;
}

/** Without probes: ordinary requests show a word wherever these do, errors among them. */
export async function shown(word: string, target: Partial<Target>, alter = saying(word)): Promise<number> {
  const { observations, observed, findings } = await briefBehaviourOf(
    { alter },
    { probes: false, ...target },
  );
  return timesShown(word, [observations, observed, findings]);
}
