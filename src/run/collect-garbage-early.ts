import { setFlagsFromString } from 'node:v8';

/** Makes V8 collect garbage more often, so that the process needs less memory. */
export const collectGarbageEarly = (): void => setFlagsFromString('--heap-growing-percent=50');
