import { expect, test } from '../fixtures.ts';

test('a card that was requested has a title', async ({ send, identifiers }) => {
  const [id = ''] = identifiers.CARD_IDS ?? [];
  test.skip(id === '', 'CARD_IDS is not set');
  const response = await send('getCard', { id });
  expect(response.status).toBe(200);
  await expect(response).toConform();
  expect(response.body.data.card.title).not.toBe('');
});
