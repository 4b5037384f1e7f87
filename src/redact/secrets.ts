import { isRecord, parseJson } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';

type SecretSettings = Pick<Target, 'headers' | 'token' | 'baseUrl' | 'identifiers' | 'transport'>;

/** Minimum length of a secret in characters. A shorter text occurs in too many words. */
const minSecretLength = 4;

/** Configured secrets, access tokens and signatures, which no report may show. */
export class Secrets {
  /**
   * Maps each form of a secret to the letters and digits of this form: `Ab-1` to `ab1`. A form is the plain secret, or the secret
   * in an encoding such as Base64.
   */
  readonly #foldedByForm = new Map<string, string>();

  constructor(values: string[] = []) {
    for (const value of values) this.add(value);
  }

  /** Adds the secret parts of a value, such as `abcd-1234` of `Bearer abcd-1234`. */
  readonly add = (value: string): void => {
    for (const part of splitSecret(value)) {
      const forms = [part, ...encodeSecret(part)];
      for (const form of forms) this.#foldedByForm.set(form, fold(form));
    }
  };

  /**
   * Returns whether a word contains a secret. Also returns true for a part of a secret, such as `1234` of `abcd-1234`.
   * Compares only letters and digits. A word or secret with fewer than four letters and digits never overlaps.
   */
  overlaps(word: string): boolean {
    const foldedWord = fold(word);
    if (foldedWord.length < minSecretLength) return false;
    for (const foldedForm of this.#foldedByForm.values()) {
      if (foldedForm.length < minSecretLength) continue;
      if (foldedWord.includes(foldedForm) || foldedForm.includes(foldedWord)) return true;
    }
    return false;
  }

  /** Replaces each secret in a text by `***`. Encoded secrets are replaced, too, for example in Base64. */
  readonly mask = (text: string): string => {
    const foldedText = fold(text);
    // Only the forms that occur in the text, because a pattern of hundreds of signatures would take seconds.
    const occurringForms: string[] = [];
    for (const [form, foldedForm] of this.#foldedByForm) {
      // A secret such as `!?!?` has neither letters nor digits.
      const hasOnlyPunctuation = foldedForm === '';
      const occurs = hasOnlyPunctuation ? text.includes(form) : foldedText.includes(foldedForm);
      if (occurs) occurringForms.push(form);
    }
    if (occurringForms.length === 0) return text;
    return text.replace(buildSecretPattern(occurringForms), '***');
  };
}

export const createMask = (settings: SecretSettings): ((text: string) => string) =>
  new Secrets(collectSecrets(settings)).mask;

export function collectSecrets({ headers, token, baseUrl, transport, identifiers }: SecretSettings) {
  const secrets = Object.values(headers);
  if (token) secrets.push(token.id, token.secret, `${token.id}:${token.secret}`);
  if (transport.passphrase) secrets.push(transport.passphrase);
  for (const url of [baseUrl, transport.proxy, token?.url, token?.proxy])
    if (url) secrets.push(...listUserinfo(url));
  // Without a base address, no real identifier is requested: the mock is tested, or recorded traffic is judged.
  if (!baseUrl) return secrets;
  return [...secrets, ...Object.values(identifiers).flat()];
}

/**
 * Lists user and password of a URL, once decoded and once percent-encoded. Also joins the decoded user and password by a colon.
 * For `https://a%40b:c@host`, returns `['a@b', 'c', 'a@b:c', 'a%40b', 'c']`. An absent user or password is an empty text.
 */
function listUserinfo(url: string): string[] {
  const { username, password } = new URL(url);
  const decoded = [username, password].map(decodeURIComponent);
  // Basic authentication joins user and password with a colon (RFC 7617 section 2).
  return [...decoded, decoded.join(':'), username, password];
}

/** Reduces a text to letters and digits: `É-1 b` to `e1b`. */
const fold = (text: string) =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');

/** Matches the scheme before credentials, such as `Bearer ` (RFC 9110 section 11.1). */
const schemePattern = /^\s*(basic|bearer|digest|token|signature|hmac|negotiate)(\s+|$)/i;
const removeScheme = (value: string) => value.replace(schemePattern, '');

function splitSecret(value: string): string[] {
  const parts = value.split(/[\s;,=]+/).map(removeScheme);
  const decodedParts = [...decodeBasicCredentials(value), ...decodeClaims(value)];
  return [removeScheme(value), ...parts, ...decodedParts].filter((part) => part.length >= minSecretLength);
}

/** Decodes `Basic dXNlcjpwYXNz` to `['user:pass', 'user', 'pass']`. For another scheme, returns three empty texts. */
function decodeBasicCredentials(value: string): string[] {
  const [, encoded = ''] = /^\s*basic\s+(\S+)/i.exec(value) ?? [];
  const pair = Buffer.from(encoded, 'base64').toString();
  // Only the first colon separates, because a password may contain others (RFC 7617 section 2).
  const [username = '', ...passwordParts] = pair.split(':');
  return [pair, username, passwordParts.join(':')];
}

/** Returns the string claims of a JSON Web Token (RFC 7519 section 4). Returns `[]` if the value contains no token. */
function decodeClaims(value: string): string[] {
  // Claims may name a person.
  // `eyJ` is the Base64 of `{"`, with which the header of a JWT begins; the claims are between two periods (RFC 7515 section 7.1).
  const [, payload = ''] = /\beyJ[\w-]*\.([\w-]{1,32768})\./.exec(value) ?? [];
  const claims = parseJson(Buffer.from(payload, 'base64url').toString())?.value;
  return isRecord(claims) ? Object.values(claims).filter((claim) => typeof claim === 'string') : [];
}

function encodeSecret(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // macOS writes file names with accents as characters of their own.
  const decomposed = secret.normalize('NFD');
  return [
    decomposed,
    decomposed.replace(/\p{M}/gu, ''),
    withoutQuotes(JSON.stringify(secret)),
    // `encodeURIComponent` throws for half a surrogate pair.
    encodeURIComponent(secret.replace(/\p{Surrogate}/gu, '?')),
    encodeFormValue(secret),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    ...listHtmlForms(secret),
  ];
}

/** Forms of `"` and `'` in the HTML of common frameworks. Some frameworks leave both quotes, or the apostrophe, as they are. */
const quoteForms = [
  ['"', "'"],
  ['&quot;', "'"],
  ['&quot;', '&#39;'], // Express
  ['&#34;', '&#39;'], // Go
  ['&quot;', '&#x27;'], // Python
] as const;

function listHtmlForms(secret: string): string[] {
  const escapedText = secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  // Some frameworks leave `>` as it is.
  const texts = [escapedText, escapedText.replaceAll('>', '&gt;')];
  return texts.flatMap((text) =>
    quoteForms.map(([quote, apostrophe]) => text.replaceAll('"', quote).replaceAll("'", apostrophe)),
  );
}

const withoutQuotes = (text: string) => text.slice(1, -1);

// `URLSearchParams` encodes whole fields: here `=a+b`, with an empty name.
/** Encodes a value as in a form: `a b` as `a+b`. */
const encodeFormValue = (value: string) => new URLSearchParams({ '': value }).toString().replace('=', '');

function buildSecretPattern(secrets: string[]): RegExp {
  // With `key` before `key-1234`, the pattern would match only the first part of `key-1234`.
  const longestFirst = secrets.toSorted((secret, otherSecret) => otherSecret.length - secret.length);
  return new RegExp(longestFirst.map(buildLoosePattern).join('|'), 'gi');
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

const minLooseLength = 8;

/** Builds a pattern for `abcd-efgh` that also matches `abcdefgh` and `abcd_efgh`. */
function buildLoosePattern(text: string): string {
  const consistsOfSeparatedWords = /^[A-Za-z0-9]([-_. ]?[A-Za-z0-9])*$/.test(text);
  const isLongEnough = text.length >= minLooseLength;
  if (!consistsOfSeparatedWords || !isLongEnough) return escapePattern(text);
  const lettersAndDigits = text.replace(/[-_. ]/g, '');
  const upToTwoSeparators = '[\\W_]{0,2}';
  return [...lettersAndDigits].join(upToTwoSeparators);
}
