import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

let collect: (() => void) | undefined;

/** Frees what nobody holds any more. By itself Node.js would wait until some hundred megabytes of bodies are there. */
export function freeMemory(): void {
  if (!collect) {
    setFlagsFromString('--expose-gc');
    collect = runInNewContext('gc') as () => void;
  }
  collect();
}

/** Frees memory each time that so much more was done. */
export class RegularFreeing {
  readonly #step: number;
  #done = 0;

  constructor(step: number) {
    this.#step = step;
  }

  add(done: number): void {
    this.#done += done;
    if (this.#done < this.#step) return;
    this.#done = 0;
    freeMemory();
  }
}
