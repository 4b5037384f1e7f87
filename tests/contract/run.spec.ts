import { loadContractOrError } from '../../schemas/contract/contract.ts';
import { readConfiguration } from '../../src/run/target.ts';
import { selectGates } from '../../src/verdict/gates.ts';
import { test } from '../fixtures.ts';
import { assertGate, showAnswers } from '../gates.ts';

/* Gates, which judge the run as a whole and are no requirements, and what the contract leaves open. Both need every operation. */

const { target } = readConfiguration();
const contract = loadContractOrError(target.extraLedger);
const gates = contract instanceof Error ? [] : selectGates(target, contract.ledger);

// REQUEST_TIMEOUT_MS limits each request.
test.describe.configure({ timeout: 0 });

test.describe('run', () => {
  test.describe('gates', () => {
    test.skip(({ session }) => session.target.shard !== undefined, 'the merged run judges the gates');

    for (const { address, statement } of gates)
      test(statement, { tag: `@${address}` }, async ({ behaviour }) => {
        await assertGate(behaviour, address);
      });
  });

  test('open questions', { tag: '@questions' }, async ({ behaviour }) => {
    await showAnswers(behaviour);
  });
});
