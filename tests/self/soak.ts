/** How many cases a fuzz tries: few in each run of the tests, as many as `SOAK` says in a long one. */
export const soak = (usual: number): number => Number(process.env.SOAK ?? usual);
