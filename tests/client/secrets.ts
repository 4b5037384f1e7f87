import type { Target } from './target.ts';

/** Puts `***` where a text holds a secret of the configuration, in any encoding it may have got into. */
export type Mask = (text: string) => string;

/**
 * Nothing that is written should hold a secret in the first place; this stands behind all else, at the point of
 * writing. Longest first, so that one secret that is part of another leaves no rest.
 */
export function maskOf(target: Target): Mask {
  const forms = [...new Set(secretsOf(target).flatMap(encodings))].sort(
    (one, other) => other.length - one.length,
  );
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, '***'), text);
}

/** Values too short or too plain to be one are left: they would mask words of the report itself. */
const isSecret = (value: string) => value.length >= 6 && !/^[A-Za-z]{1,12}$/.test(value);

function secretsOf({ headers, baseUrl, transport, cardIds, customerIds, userIds }: Target): string[] {
  const urls = [baseUrl, transport.proxy].filter((url) => url !== undefined).map((url) => new URL(url));
  const values = Object.values(headers);
  return [
    ...values,
    ...values.flatMap((value) => value.split(/\s+/)),
    ...urls.flatMap(({ username, password }) => [username, password, ...decoded(username, password)]),
    ...(baseUrl ? [...cardIds, ...customerIds, ...userIds] : []),
    transport.clientCertificate?.passphrase ?? '',
  ].filter(isSecret);
}

/** User and password as they are, and as HTTP sends them in one. */
function decoded(...userinfo: [string, string]): string[] {
  const [username, password] = userinfo.map(decodeURIComponent);
  return [username ?? '', password ?? '', `${username}:${password}`];
}

function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    new URLSearchParams({ '': secret }).toString().slice(1),
    bytes.toString('base64'),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
  ];
}

/** JSON in which each string is masked; numbers and names stay as they are. */
export function maskedJson(value: unknown, mask: Mask): string {
  return `${JSON.stringify(value, (_, part) => (typeof part === 'string' ? mask(part) : part), 2)}\n`;
}
