import { expect, test } from '@playwright/test';
import { limitConcurrency, slotIn } from '../../client/concurrency.ts';
import { LargeBodies } from '../../client/large-bodies.ts';
import { sized, withClient } from './raw-responses.ts';

test('one slot at a time is taken, and one that is given up early blocks nobody', async () => {
  const run = limitConcurrency(1);
  const events: string[] = [];
  const [first, givenUp, last] = ['first', 'given up', 'last'].map((name) =>
    slotIn(run, () => events.push(`${name} over`)),
  );
  await first?.enter();
  void givenUp?.enter();
  const entered = last?.enter().then(() => events.push('last in'));
  givenUp?.leave();
  await new Promise(setImmediate);
  expect(events).toEqual([]);
  first?.leave();
  await entered;
  expect(events).toEqual(['first over', 'given up over', 'last in']);
});

test('large bodies that come together are read whole, one after the other', async () => {
  const body = Buffer.alloc(5 * 1024 * 1024, ' ');
  const answers = await withClient(
    (socket) => void socket.write(sized(body)),
    (client) => Promise.all(Array.from({ length: 4 }, (_, index) => client.get(`/${index}`))),
  );
  for (const answer of answers) expect(answer).toMatchObject({ status: 200, body: { length: body.length } });
});

test('once large bodies that are slow to judge have taken their time, no further one is read', async () => {
  let now = 0;
  const bodies = new LargeBodies(() => now);
  const judgedIn = async (ms: number) => {
    const slot = bodies.slot();
    try {
      await slot.enter();
      now += ms;
    } finally {
      slot.leave();
    }
  };
  for (let usual = 0; usual < 3; usual += 1) await judgedIn(10_000);
  for (let slow = 0; slow < 6; slow += 1) await judgedIn(20_000);
  await expect(judgedIn(1)).rejects.toThrow(/took this suite more than a minute longer than usual/);
});
