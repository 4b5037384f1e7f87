/** Headers that HTTP's own machinery sets; a request with one of them is another request, or none at all. */
const framing =
  'connection content-length expect host http2-settings keep-alive te trailer transfer-encoding upgrade'.split(
    ' ',
  );

/** Headers with which a conforming target answers otherwise than documented, or does something else. */
const altering =
  'accept-encoding content-encoding if-match if-modified-since if-none-match if-range if-unmodified-since range x-http-method x-http-method-override x-method-override'.split(
    ' ',
  );

/** A name that no object of headers can hold. */
const unusable = '__proto__';

const reserved = new Set([...framing, ...altering, unusable]);

/** Which of some names nobody but this client may set. All but the known part of a name is withheld. */
export const reservedHeaders = (names: string[]): string[] =>
  names
    .map((name) => name.toLowerCase().replace(/^proxy-.*/s, 'proxy-*'))
    .filter((name) => reserved.has(name) || name === 'proxy-*');

/** Whether HTTP/1.1 can carry a header (RFC 9110 section 5). */
export const isHeader = (name: string, value: string) =>
  /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) && /^[\t -~\u0080-\u00ff]*$/.test(value);
