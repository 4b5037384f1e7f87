import { test } from '../fixtures.ts';

test('x', async ({ getCard }) => {
  if (!getCard) throw new Error('y');
});
