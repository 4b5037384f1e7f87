import type { Requirement } from '../schemas/contract/requirements.ts';

/** Requirements whose address or sentence has each of the terms, in any letter case. */
export function matching(requirements: Requirement[], terms: string[]): Requirement[] {
  const lowerCase = terms.map((word) => word.toLowerCase());
  return requirements.filter(({ address, statement }) => {
    const text = `${address} ${statement}`.toLowerCase();
    return lowerCase.every((word) => text.includes(word));
  });
}

/** Address, level, section and sentence of each, in columns. */
export function requirementLines(requirements: Requirement[]): string[] {
  const columns = requirements.map(({ address, level, source }) => [address, level, source]);
  const widthOf = (column: number) => Math.max(...columns.map((cells) => cells[column]?.length ?? 0));
  const widths = [0, 1, 2].map(widthOf);
  return requirements.map(({ statement }, row) => {
    const cells = (columns[row] ?? []).map((cell, column) => cell.padEnd(widths[column] ?? 0));
    return [...cells, statement].join('  ');
  });
}

/** The same for programs. */
export const requirementJson = (requirements: Requirement[]): string =>
  JSON.stringify(
    requirements.map(({ address, level, source, statement }) => ({ address, level, source, statement })),
    null,
    2,
  );
