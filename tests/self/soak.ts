/** How many times a random test is run: few in the gate; as many as `SOAK` says in a long run. */
export const runs = (inGate: number): number => Number(process.env.SOAK) || inGate;
