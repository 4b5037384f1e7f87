import { isRecord, parse } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';

/** Configured values that nobody may read; see `secretsOf`. */
type SecretSettings = Pick<Target, 'headers' | 'token' | 'baseUrl' | 'identifiers' | 'transport'>;

/** No secret is shorter: what has three letters reveals nothing, and occurs in everything. */
const shortest = 4;

/** What must not be shown: secrets of the configuration, and what AUTH_MODULE returns in the course of a run. */
export class Secrets {
  /** Each form of a secret, with its small letters and digits alone. */
  readonly #forms = new Map<string, string>();

  constructor(values: string[] = []) {
    for (const value of values) this.add(value);
  }

  /** Adds a value with its parts, in each encoding. */
  readonly add = (value: string): void => {
    for (const part of partsOf(value))
      for (const form of [part, ...encodingsOf(part)]) this.#forms.set(form, folded(form));
  };

  /** Whether a word holds a secret, or is a piece of one, in any letter case and encoding. */
  touches(word: string): boolean {
    const plain = folded(word);
    if (plain.length < shortest) return false;
    for (const form of this.#forms.values())
      if (form.length >= shortest && (plain.includes(form) || form.includes(plain))) return true;
    return false;
  }

  /** A free text with `***` in place of each secret, in any letter case, and with other separators than configured. */
  readonly mask = (text: string): string => {
    const plain = folded(text);
    // A pattern of hundreds of signatures would take seconds.
    const held = [...this.#forms].filter(([form, own]) =>
      own === '' ? text.includes(form) : plain.includes(own),
    );
    return held.length > 0 ? text.replace(patternOf(held.map(([form]) => form)), '***') : text;
  };
}

/** The mask of what is configured, for texts that are written before or after a run. */
export const maskOf = (settings: SecretSettings): ((text: string) => string) =>
  new Secrets(secretsOf(settings)).mask;

/** Secrets of the configuration. */
export function secretsOf({ headers, token, baseUrl, transport, identifiers }: SecretSettings): string[] {
  const urls = [baseUrl, transport.proxy, token?.url, token?.proxy].flatMap((url) =>
    url && URL.canParse(url) ? new URL(url) : [],
  );
  return [
    ...Object.values(headers),
    ...(token ? [token.id, token.secret, `${token.id}:${token.secret}`] : []),
    ...(transport.passphrase ? [transport.passphrase] : []),
    ...urls.flatMap(({ username, password }) => userinfoOf(username, password)),
    ...(baseUrl ? Object.values(identifiers).flat() : []),
  ];
}

/** User and password as they are, and as HTTP sends them in one. */
function userinfoOf(...encoded: [string, string]): string[] {
  const [username, password] = encoded.map(decoded) as [string, string];
  return [username, password, `${username}:${password}`, ...encoded];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Letters and digits alone, in lower case and without accents. */
const folded = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** Words that say how credentials are sent, not which. */
const scheme = /^\s*(basic|bearer|digest|token|signature|hmac|negotiate)(\s+|$)/i;
const withoutScheme = (value: string) => value.replace(scheme, '');

/** A value as it is, cut at what divides cookies, lists and parameters, and with what `Basic` and a JWT hide. */
function partsOf(value: string): string[] {
  const parts = value.split(/[\s;,=]+/).map(withoutScheme);
  const hidden = [...basicParts(value), ...claimsIn(value)];
  return [withoutScheme(value), ...parts, ...hidden].filter((part) => part.length >= shortest);
}

function basicParts(value: string): string[] {
  const [, encoded = ''] = /^\s*basic\s+(\S+)/i.exec(value) ?? [];
  const pair = Buffer.from(encoded, 'base64').toString();
  return [pair, ...pair.split(/:(.*)/s)];
}

/** Texts among the claims of a JSON Web Token (RFC 7519): who is meant may be named there. */
function claimsIn(value: string): string[] {
  const [, payload = ''] = /\beyJ[\w-]*\.([\w-]{1,32768})\./.exec(value) ?? [];
  const claims = parse(Buffer.from(payload, 'base64url').toString())?.value;
  return isRecord(claims) ? Object.values(claims).filter((claim) => typeof claim === 'string') : [];
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
