import { isRecord, parse } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';

/** Settings that may contain secrets; see `collectSecrets`. */
type SecretSettings = Pick<Target, 'headers' | 'token' | 'baseUrl' | 'identifiers' | 'transport'>;

/** Minimum number of characters of a secret: shorter texts reveal nothing and occur everywhere. */
const minLength = 4;

/** Secrets that must not be shown: those of the configuration, and headers that AUTH_MODULE returns during a run. */
export class Secrets {
  /** Keys are the forms of secrets, such as a token and its Base64; values are the letters and digits of the form (`fold`). */
  readonly #forms = new Map<string, string>();

  constructor(values: string[] = []) {
    for (const value of values) this.add(value);
  }

  /** Adds a secret such as `Bearer abc`: the whole value and its parts, in each encoding. */
  readonly add = (value: string): void => {
    for (const part of splitSecret(value))
      for (const form of [part, ...encodeSecret(part)]) this.#forms.set(form, fold(form));
  };

  /** Returns whether a word contains a secret or is part of a secret, in any letter case and encoding. */
  overlaps(word: string): boolean {
    const foldedWord = fold(word);
    if (foldedWord.length < minLength) return false;
    for (const form of this.#forms.values())
      if (form.length >= minLength && (foldedWord.includes(form) || form.includes(foldedWord))) return true;
    return false;
  }

  /** Replaces each secret in a free text by `***`, in any letter case and with other separators than configured. */
  readonly mask = (text: string): string => {
    const foldedText = fold(text);
    // Only forms in this text, because a pattern of hundreds of signatures would take seconds. A form without letters or digits
    // (an empty `foldedForm`) is found by its exact characters.
    const occurringForms = [...this.#forms].filter(([form, foldedForm]) =>
      foldedForm === '' ? text.includes(form) : foldedText.includes(foldedForm),
    );
    return occurringForms.length > 0
      ? text.replace(buildPattern(occurringForms.map(([form]) => form)), '***')
      : text;
  };
}

/** Creates a function that masks the configured secrets, for texts written before or after a run. */
export const createMask = (settings: SecretSettings): ((text: string) => string) =>
  new Secrets(collectSecrets(settings)).mask;

/**
 * Collects the secrets of the configuration: header values, token credentials, passphrase, user and password in addresses, and
 * identifiers.
 */
export function collectSecrets({
  headers,
  token,
  baseUrl,
  transport,
  identifiers,
}: SecretSettings): string[] {
  const urls = [baseUrl, transport.proxy, token?.url, token?.proxy].flatMap((url) =>
    url && URL.canParse(url) ? new URL(url) : [],
  );
  return [
    ...Object.values(headers),
    ...(token ? [token.id, token.secret, `${token.id}:${token.secret}`] : []),
    ...(transport.passphrase ? [transport.passphrase] : []),
    ...urls.flatMap(({ username, password }) => listUserinfo(username, password)),
    // Without a base address, no real identifier is requested: the mock is tested, or recorded traffic is judged.
    ...(baseUrl ? Object.values(identifiers).flat() : []),
  ];
}

/** Lists user and password of an address, decoded, as `user:password` (RFC 7617, section 2), and as written in the address. */
function listUserinfo(...encodedParts: [string, string]): string[] {
  const [username, password] = encodedParts.map(decodeUriPart) as [string, string];
  return [username, password, `${username}:${password}`, ...encodedParts];
}

function decodeUriPart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Reduces a text to letters and digits, in lower case and without accents. */
const fold = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** Matches the scheme in front of credentials, such as `Bearer` (RFC 9110, section 11.1), because the scheme is not secret. */
const schemePattern = /^\s*(basic|bearer|digest|token|signature|hmac|negotiate)(\s+|$)/i;
const removeScheme = (value: string) => value.replace(schemePattern, '');

/** Splits a value at the separators of cookies, lists and parameters, and decodes Basic credentials and the claims of a JWT. */
function splitSecret(value: string): string[] {
  const parts = value.split(/[\s;,=]+/).map(removeScheme);
  const hiddenParts = [...decodeBasicCredentials(value), ...decodeClaims(value)];
  return [removeScheme(value), ...parts, ...hiddenParts].filter((part) => part.length >= minLength);
}

/** Decodes `Basic dXNlcjpwYXNz` to `user:pass`, `user` and `pass`; other values give empty texts. */
function decodeBasicCredentials(value: string): string[] {
  const [, encoded = ''] = /^\s*basic\s+(\S+)/i.exec(value) ?? [];
  const pair = Buffer.from(encoded, 'base64').toString();
  return [pair, ...pair.split(/:(.*)/s)];
}

/** Decodes the texts among the claims of a JSON Web Token (RFC 7519, section 4), which may name a person. */
function decodeClaims(value: string): string[] {
  const [, payload = ''] = /\beyJ[\w-]*\.([\w-]{1,32768})\./.exec(value) ?? [];
  const claims = parse(Buffer.from(payload, 'base64url').toString())?.value;
  return isRecord(claims) ? Object.values(claims).filter((claim) => typeof claim === 'string') : [];
}

/** Returns a secret in the encodings in which a text may hold it: JSON, URL, form, Base64, hexadecimal, HTML. */
function encodeSecret(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    JSON.stringify(secret).slice(1, -1),
    // `encodeURIComponent` throws for half a surrogate pair.
    encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '?')),
    new URLSearchParams({ '': secret }).toString().slice(1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ];
}

/** Builds a pattern that matches any of the forms, the longest first, so that a secret within another leaves no remainder. */
function buildPattern(forms: string[]): RegExp {
  const sorted = forms.toSorted((form, otherForm) => otherForm.length - form.length);
  return new RegExp(sorted.map(buildLoosePattern).join('|'), 'gi');
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/**
 * Builds a pattern that allows up to two separators between letters and digits: `abcd-efgh` matches `ABCD_EFGH` and `abcdefgh`. A
 * form of fewer than 8 characters, or with other punctuation, matches only as it is.
 */
const buildLoosePattern = (form: string) =>
  /^[A-Za-z0-9]([-_. ]?[A-Za-z0-9])*$/.test(form) && form.length >= 8
    ? [...form.replace(/[-_. ]/g, '')].join('[\\W_]{0,2}')
    : escapePattern(form);
