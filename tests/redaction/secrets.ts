import type { Target } from '../configuration/target.ts';
import { jwtTexts } from './jwt-texts.ts';
import { WordFilter } from './word-filter.ts';

/** Puts `***` where a free text holds a secret of the configuration, in any encoding it may have got into. */
export type Mask = (text: string) => string;

/** The mask of what is configured, for texts that are written before or after a run. */
export function maskOf(target: Target): Mask {
  const secrets = new Secrets(secretsOf(target));
  return (text) => secrets.mask(text);
}

/** No secret is shorter: what has three letters reveals nothing, and occurs in everything. */
const shortest = 4;
/** A piece of a secret inside of a longer word: of four letters, one in a hundred names of fields has some by chance. */
const shortestInside = 5;
/** A part of an encoded secret that is shorter occurs by chance. */
const shortestOfEncoded = 8;

/** What must not be shown: secrets of the configuration, and what AUTH_MODULE returns in the course of a run. */
export class Secrets {
  readonly #plain = new WordFilter({ alone: shortest, inside: shortestInside });
  readonly #encoded = new WordFilter({ alone: shortestOfEncoded, inside: shortestOfEncoded });
  /** Forms that are not in the filters yet: these take memory only once a word is compared. */
  readonly #pending: [WordFilter, string][] = [];
  /** Each form with its letters and digits. */
  readonly #forms = new Map<string, string>();

  constructor(values: string[] = []) {
    for (const value of values) this.add(value);
  }

  /** Adds a value with all its parts. */
  add(value: string): void {
    for (const part of partsOf(value)) if (!this.#forms.has(part)) this.#addPart(part);
  }

  #addPart(part: string): void {
    const encoded = encodingsOf(part);
    for (const form of [part, ...encoded]) this.#forms.set(form, fold(form));
    const plain = fold(withoutScheme(part));
    if (plain.length >= shortest) this.#pending.push([this.#plain, plain]);
    for (const form of encoded)
      if (fold(form).length >= shortestOfEncoded) this.#pending.push([this.#encoded, fold(form)]);
  }

  /** Whether a word has a piece of a secret in it, or may be one. */
  touches(word: string): boolean {
    for (const [filter, form] of this.#pending.splice(0)) filter.add(form);
    return this.#plain.has(word) || this.#encoded.has(word);
  }

  /** A free text without secrets, in any letter case and with any separators. */
  mask(text: string): string {
    const folded = fold(text);
    const held = [...this.#forms].filter(([form, plain]) =>
      plain === '' ? text.includes(form) : folded.includes(plain),
    );
    return held.length > 0 ? text.replace(patternOf(held.map(([form]) => form)), '***') : text;
  }
}

/** Letters and digits alone, in lower case and without accents. */
const fold = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** Words that say how credentials are sent, not which. */
const scheme = /^\s*(basic|bearer|digest|token|signature|hmac|negotiate)(\s+|$)/i;
const withoutScheme = (value: string) => value.replace(scheme, '');

/** A value as it is, cut at what divides cookies, lists and parameters, and with what `Basic` and a token hide. */
function partsOf(value: string): string[] {
  const parts = value.split(/[\s;,=]+/).filter(withoutScheme);
  const hidden = [...basicParts(value), ...jwtTexts(value)];
  return [value, ...parts, ...hidden].filter((part) => part.trim().length >= shortest);
}

function basicParts(value: string): string[] {
  const [, encoded] = /^\s*basic\s+(\S+)/i.exec(value) ?? [];
  if (!encoded) return [];
  const decoded = Buffer.from(encoded, 'base64').toString();
  const colon = decoded.indexOf(':');
  return colon < 0 ? [decoded] : [decoded, decoded.slice(0, colon), decoded.slice(colon + 1)];
}

/** Secrets of the configuration. Identifiers are some only where they are a user's own. */
export function secretsOf({ headers, baseUrl, transport, identifiers, sweepKey = '' }: Target): string[] {
  const urls = [baseUrl, transport.proxy].flatMap((url) => (url && URL.canParse(url) ? new URL(url) : []));
  return [
    ...Object.values(headers),
    ...urls.flatMap(({ username, password }) => [username, password, ...userinfoOf(username, password)]),
    ...(baseUrl ? Object.values(identifiers).flat() : []),
    transport.clientCertificate?.passphrase ?? '',
    sweepKey,
  ];
}

/** User and password as they are, and as HTTP sends them in one. */
function userinfoOf(...encoded: [string, string]): string[] {
  const [username, password] = encoded.map(decoded) as [string, string];
  return [username, password, `${username}:${password}`];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A secret as it may have been written: JSON, URL, form, Base64, hexadecimal, HTML. */
function encodingsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '?')),
    new URLSearchParams({ '': secret }).toString().slice(1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ];
}

/** Longest first, so that one secret that is part of another leaves no rest. */
function patternOf(forms: string[]): RegExp {
  const sorted = forms.toSorted((one, other) => other.length - one.length);
  return new RegExp(sorted.map(looselyOf).join('|'), 'gi');
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Between letters and digits any two other characters may stand, or none: `abcd-efgh` is `ABCD_EFGH` and `abcdefgh`. */
const looselyOf = (form: string) =>
  /^[A-Za-z0-9]([-_. ]?[A-Za-z0-9])*$/.test(form) && form.length >= 8
    ? [...form.replace(/[-_. ]/g, '')].join('[\\W_]{0,2}')
    : escaped(form);
