import { expect, test } from '@playwright/test';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { exchangesOf } from '../../exchanges/files.ts';
import type { SweptList } from '../../exchanges/session.ts';
import { ListClient } from '../../sweep/paging/list-client.ts';
import type { Paging } from '../../sweep/paging/paging.ts';
import { isEndOfPart } from '../../sweep/paging/part-end.ts';
import { json } from '../harness/examples.ts';

/** Asks a provider that answers any page with a status and a body. */
async function pageOf(status: number, body: unknown) {
  const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
  const list = (await exchangesOf(operation)).sweptList as SweptList;
  let sent = 0;
  const get = async () => {
    sent += 1;
    return json(status, body);
  };
  const client = new ListClient(operation, list, { get }, { attempts: 2, pauseMs: 0 });
  const { rejected = false, broken = false, records } = await client.page(10, 50);
  return { rejected, broken, isList: records !== undefined, sent };
}

test('a page is rejected where the request is at fault, and not where the moment, the credentials or the server is', async () => {
  const coded = (code: number) => pageOf(200, { code, message: 'no', data: null });
  for (const code of [400, 404, 40_401])
    expect(await coded(code), `${code}`).toMatchObject({ rejected: true });
  for (const code of [401, 407, 429, 503, 500])
    expect(await coded(code), `${code}`).toMatchObject({ rejected: false, isList: false });
  const listed = await pageOf(200, { code: 503, message: 'no', data: { customers: [] } });
  expect(listed).toMatchObject({ rejected: false, isList: false });
  expect(await pageOf(404, {})).toMatchObject({ rejected: true, sent: 1 });
  for (const status of [401, 429, 500])
    expect(await pageOf(status, {})).toMatchObject({ rejected: false, sent: 2 });
});

test('a success without a list is a broken one', async () => {
  const none = await pageOf(200, { code: 200, message: 'ok', data: {} });
  expect(none).toMatchObject({ rejected: false, broken: true, isList: false });
  const empty = await pageOf(200, { code: 200, message: 'ok', data: { customers: [] } });
  expect(empty).toMatchObject({ rejected: false, broken: false, isList: true });
});

test('a part has not ended where a customer behind its short page is shown, alone or on the next page', async () => {
  const last = { number: 3, held: 4, isFull: false };
  const paging: Paging = { size: 10, unit: 'records', overlap: 1, singles: true };
  const ends = (shown: { limit: number; offset: number } | undefined, more: object = {}, at = 6) => {
    const page = async (limit: number, offset: number) =>
      shown?.limit === limit && shown.offset === offset ? { records: [1] } : { rejected: true };
    return isEndOfPart({ page } as never, { ...paging, ...more }, at, last);
  };
  expect(await ends(undefined)).toBe(true);
  expect(await ends({ limit: 1, offset: 31 })).toBe(false);
  expect(await ends({ limit: 10, offset: 36 })).toBe(false);
  expect(await ends({ limit: 1, offset: 31 }, { singles: false })).toBe(true);
  expect(await ends(undefined, {}, 4)).toBe(false);
  const failing = { page: async () => ({ failed: 'down' }) } as never;
  expect(await isEndOfPart(failing, paging, 6, last)).toBe(false);
  const empty = { page: async () => ({ records: [] }) } as never;
  const full = { ...last, held: 10, isFull: true };
  expect([await isEndOfPart(empty, paging, 6, last), await isEndOfPart(empty, paging, 6, full)]).toEqual([
    true,
    false,
  ]);
});
