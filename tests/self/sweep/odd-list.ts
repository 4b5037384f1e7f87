import { test } from '@playwright/test';
import type { StoredPart } from '../../../reports/merge/journal-prints.ts';
import { mergedSweep } from '../../../reports/merge/merge-sweeps.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Part } from '../../sweep/paging/paging.ts';
import { sweepAt } from './sweep-run.ts';

export interface Customer {
  uuid: string;
  dial_code: string | null;
  reference_number: string;
}

/** A customer of a number. */
export const customer = (number: number, dialCode: string | null = '+1'): Customer => ({
  uuid: `${String(number).padStart(8, '0')}-0000-4000-8000-000000000000`,
  dial_code: dialCode,
  reference_number: `R${number}`,
});

export const response = (data: unknown, status = 200) => ({
  status,
  contentType: 'application/json',
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ code: status, message: 'ok', data })),
});

/** Anything that a target may answer. */
export type Response = ReturnType<typeof response>;
/** How a target shows a page: its customers, another response, or undefined where it rejects the request. */
export type ShowPage = (limit: number, offset: number) => Customer[] | Response | undefined;

/** In place of a target: rejects pages that are undefined, and finds each customer. */
const provider = (showPage: ShowPage) => () => ({
  async get(asked: string) {
    const { pathname, searchParams } = new URL(asked, 'http://target.invalid');
    const [, found] = /customers\/(\d+)/.exec(pathname) ?? [];
    if (found !== undefined) return response({ customer: customer(Number(found)) });
    const page = showPage(
      Math.min(100, Number(searchParams.get('limit'))),
      Number(searchParams.get('offset')),
    );
    if (Array.isArray(page)) return response({ customers: page });
    return page ?? response({}, 400);
  },
});

/** Sweeps a target that shows pages in some way. */
export const sweep = (showPage: ShowPage, env = {}, part?: Part) =>
  sweepAt('http://target.invalid', { around: provider(showPage), env, ...(part ? { part } : {}) });

/** What shards say together, one after the other. @param afterEach is called when one of them has ended */
export async function sweepByShards(showPage: ShowPage, total: number, afterEach = () => {}) {
  const parts: StoredPart[] = [];
  for (let current = 1; current <= total; current += 1) {
    const folder = test.info().outputPath(`part-${current}`);
    const { result } = await sweep(showPage, { REPORTS_DIR: folder }, { current, total });
    parts.push({ sweep: result, folder });
    afterEach();
  }
  return (await mergedSweep(loadContract(), parts)).result;
}

/** Shows pages of a list, whose places `offset` counts. */
export const pagesOf =
  (list: Customer[]): ShowPage =>
  (limit, offset) =>
    list.slice(offset, offset + limit);

export const all = (count: number) => Array.from({ length: count }, (_, number) => customer(number));
