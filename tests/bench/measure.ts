/** One line of the table. */
export interface Figure {
  name: string;
  value: number;
  unit: 'ratio' | 's' | 'ms' | 'µs' | 'MB';
  /** What must be reached, where something is. */
  target?: number;
}

/** The value in the middle. */
export const median = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

/** The value below which a quarter lies: what else the machine does makes times longer, never shorter. */
const quarter = (values: number[]): number =>
  values.toSorted((one, other) => one - other)[values.length >> 2] ?? 0;

/** Milliseconds that each of some tasks takes, run in turn so that all see the same machine, after warming up. */
export async function timesOf<Name extends string>(
  tasks: Record<Name, () => unknown>,
  rounds: number,
): Promise<Record<Name, number>> {
  const names = Object.keys(tasks) as Name[];
  const taken = new Map<Name, number[]>(names.map((name) => [name, []]));
  for (let round = -rounds; round < rounds; round += 1)
    for (const name of names) {
      const start = performance.now();
      await tasks[name]();
      if (round >= 0) taken.get(name)?.push(performance.now() - start);
    }
  return Object.fromEntries(names.map((name) => [name, quarter(taken.get(name) ?? [])])) as Record<
    Name,
    number
  >;
}
