import { member, textMember } from './members.ts';

/** A name that HTTP allows; `:status` and the like of HTTP/2 are none. */
const fieldName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Headers of a recording, by name in lower case: a list of names and values (HAR), or an object of them. */
export function readHeaders(recorded: unknown): Record<string, string> {
  const headers: Record<string, string> = Object.create(null);
  for (const [name, value] of pairsOf(recorded)) {
    const key = name.toLowerCase();
    // Some recorders join repeated headers by a line feed.
    const text = value.replaceAll(/\r?\n/g, ', ');
    if (fieldName.test(key)) headers[key] = key in headers ? `${headers[key]}, ${text}` : text;
  }
  return headers;
}

function pairsOf(recorded: unknown): [string, string][] {
  if (Array.isArray(recorded)) return recorded.flatMap(pairOf);
  if (typeof recorded !== 'object' || recorded === null) return [];
  return Object.entries(recorded).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [values])
      .filter(isText)
      .map((value): [string, string] => [name, value]),
  );
}

function pairOf(item: unknown): [string, string][] {
  const [name, value] = [textMember(item, 'name'), member(item, 'value')];
  return name !== undefined && isText(value) ? [[name, value]] : [];
}

const isText = (value: unknown): value is string => typeof value === 'string';
