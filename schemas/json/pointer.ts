/** A JSON Pointer (RFC 6901) of no more than `longest` characters and the sign that it is cut. */
export type Pointer = string;

export const root: Pointer = '';

/** Characters of a pointer that are kept. What lies deeper, or has a longer name, is cut, and ends in `/…`. */
export const longest = 300;

const cut = '/…';

/** The pointer of a member or element. */
export function below(pointer: Pointer, step: string | number): Pointer {
  if (isCut(pointer)) return pointer;
  const name = typeof step === 'number' ? `${step}` : escaped(step.slice(0, longest + 1));
  return pointer.length + name.length >= longest ? pointer + cut : `${pointer}/${name}`;
}

const escaped = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1');

/** Whether a pointer leads only to the neighbourhood of a place. */
export const isCut = (pointer: Pointer) => pointer.endsWith(cut);

/** A pointer without the sign that it is cut. */
export const whole = (pointer: Pointer) => (isCut(pointer) ? pointer.slice(0, -cut.length) : pointer);
