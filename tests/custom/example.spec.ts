import { expect, test } from '../fixtures.ts';

test('the title of a card is one line', async ({ send, identifiers }) => {
  const [id = ''] = identifiers.CARD_IDS ?? [];
  test.skip(id === '', 'CARD_IDS is not set');
  const { status, body } = await send('getCard', { id });
  test.skip(status !== 200, 'the card cannot be read');
  // The contract only requires a string. Tests of the contract report a title of another type.
  expect(String(body?.data?.card?.title)).not.toContain('\n');
});
