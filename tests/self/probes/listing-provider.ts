import { success } from '../../../mock/answers.ts';
import { customers } from '../../../mock/seed.ts';
import type { MockOptions } from '../../../mock/server.ts';

/** What a customer is linked to. */
export type Sources = readonly string[];

/** What a provider lists to a request: customers, or undefined where it is rejected. */
export interface Provider {
  /** How many, by the limit that was sent. */
  limit(sent: string | undefined): number | undefined;
  /** Where a page starts. */
  pageStart(offset: number, limit: number): number;
  /** Whether a page behind the end is rejected. */
  rejectsEnd?: true;
  /** Whether a customer of these sources is listed when one is asked for. */
  isListed(of: Sources, asked: string | undefined): boolean;
}

/** Pages of twenty unless another limit is sent, offsets in records, and nothing but numbers. */
export const strict: Provider = {
  limit: (sent = '20') => (/^\d+$/.test(sent) ? Math.min(Number(sent), 100) : undefined),
  pageStart: (offset) => offset,
  isListed: (of, asked) => asked === undefined || of.includes(asked),
};

/** The lists of a provider that knows customers of these sources, one each. */
export const providing = (provider: Provider, sources: Sources[]): MockOptions => ({
  alter: (answer, { operation, path, parameters }) => {
    if (operation !== 'listCustomers') return answer;
    const query = new URL(path, 'http://x').searchParams;
    const asked = query.get('linked_source_type') ?? undefined;
    const size = provider.limit(parameters.limit);
    const offset = Number(parameters.offset ?? 0);
    if (size === undefined || !(offset >= 0)) return rejected(answer);
    const all = customers
      .slice(0, sources.length)
      .filter((_, index) => provider.isListed(sources[index] ?? [], asked));
    const start = provider.pageStart(offset, size);
    const found = all.slice(start, start + size);
    if (provider.rejectsEnd && start > 0 && found.length === 0) return rejected(answer);
    return success({ customers: found.map(({ customer }) => ({ ...customer })) });
  },
});

const rejected = <T extends object>(answer: T) => ({
  ...answer,
  status: 400,
  body: { code: 400, message: 'no', data: null },
});
