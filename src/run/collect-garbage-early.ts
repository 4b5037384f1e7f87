import { setFlagsFromString } from 'node:v8';

/** Makes V8 collect garbage early, because garbage of a sweep or recording may grow to several times the memory in use. */
export const collectGarbageEarly = (): void => setFlagsFromString('--heap-growing-percent=50');
