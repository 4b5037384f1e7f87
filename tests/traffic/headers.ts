import { member } from './members.ts';

/** A name that HTTP allows; `:status` and the like of HTTP/2 are none. */
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

type Headers = Record<string, string>;

/** Headers of a recording, by name in lower case: a list of names and values (HAR), or an object of them. */
export function readHeaders(recorded: unknown): Headers {
  return readPairs(recorded, () => true);
}

/** One of the headers of a recording, by its name in lower case. */
export function readHeader(recorded: unknown, name: string): string | undefined {
  return readPairs(recorded, (one) => one.length === name.length && one.toLowerCase() === name)[name];
}

/** Without a prototype, since anything may be a name. */
function readPairs(recorded: unknown, isWanted: (name: string) => boolean): Headers {
  const headers: Headers = Object.create(null);
  const add = (name: unknown, value: unknown) => {
    if (typeof name === 'string' && typeof value === 'string' && isWanted(name))
      addPair(headers, name, value);
  };
  if (Array.isArray(recorded)) for (const item of recorded) add(member(item, 'name'), member(item, 'value'));
  else if (typeof recorded === 'object' && recorded !== null)
    for (const [name, values] of Object.entries(recorded))
      for (const value of Array.isArray(values) ? values : [values]) add(name, value);
  return headers;
}

function addPair(headers: Headers, name: string, value: string): void {
  const key = name.toLowerCase();
  // Some recorders join repeated headers by a line feed.
  const text = value.includes('\n') ? value.replaceAll(/\r?\n/g, ', ') : value;
  if (fieldName.test(key)) headers[key] = key in headers ? `${headers[key]}, ${text}` : text;
}
