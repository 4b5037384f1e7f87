import type { CustomerDirectory } from '../../../mock/directory.ts';
import type { Customer } from '../../../mock/records.ts';

/** What a list can be narrowed to, and the whole of it. */
export const filters = ['all', 'User', 'Store'] as const;

/** Everybody, page by page. */
export function listAll(
  directory: CustomerDirectory,
  source: (typeof filters)[number] = 'all',
  size = 1000,
): Customer[] {
  const all: Customer[] = [];
  for (;;) {
    const page = directory.list(source, all.length, all.length + size) ?? [];
    all.push(...page);
    if (page.length < size) return all;
  }
}
