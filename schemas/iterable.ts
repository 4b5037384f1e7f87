/**
 * What can be iterated over again, each time anew. `find` calls a generator function of a module: V8 makes a hidden class
 * for each generator function that is called, and one that is written in place, anew for each response, keeps all that
 * it refers to in memory until the next full collection.
 */
export const iterable = <T>(find: () => Iterator<T>): Iterable<T> => ({ [Symbol.iterator]: find });
