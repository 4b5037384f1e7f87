import { createHash, createPublicKey } from 'node:crypto';

/** A key of these tests alone. */
export const vectorKey = `-----BEGIN PRIVATE KEY-----
MIICdwIBADANBgkqhkiG9w0BAQEFAASCAmEwggJdAgEAAoGBAMOk85XW2U+9nFKo
7WCb29+22O2whn6iBdG5WQUD/NsMp4239daygkFVzLCxHAIhiATe/63ZisHO6+dW
KFrX35yToyIMrUTAOfHQqQrIyW3IK3J2YLXjLjhk8UFHyzmXHUecAtfYPI7PZJhf
rXOCKQwYpwor60RuXf0e+A2wGs/dAgMBAAECgYAy1TUFBaHI+jcXsxSaOWTTp6qN
d4Q6etaQO1xJ1VNphswyIk4Zzp/RYf2hGyNv2k6BFX/RJ+jJmn3oyZYKpHRQweyK
TKeW9Er28Tv9imIUoIyL5rVVIcVUoZLFLBz/u4agghStHHFjA34o6VvNgg6iJqxU
7b545/8JTjEb3VK4cQJBAO9QqHl4km+gtXp5aJUx+s7ZVyiAWjTENhy9Se4Hmeo+
t2jwUiYaovK+kUNL7bWdXnV4Xvy+BDX0EelKvQQC2GsCQQDRSNmI1YG5/RLHjxaW
8T9WZNzGEfkSQ2zrisL9HydGTTalX6EKfseli81jJovI4AvZ7dkJeveZS0o02+PK
AKrXAkBSqys3ouX696oZH7135Gb+c2e/Tu9aUPlcXisetbN+jqGu9215SjRF5Hyr
oZwA49bQf39YkY9E0AYr76xxqUX3AkEAiiowAtgBdsoOldRvM2M9T0nzPogrCNWe
mLnZFMZ2ZUEgbHj/ljAwmaf8BhMygYD4Ef2mJU4bHAbKjK8GaRubrQJBAKZ20Zqr
XWaKRflT8QEIWf4E2jrZgw7PJPvz/nt1zfIo8Y8rL17MVM+uAJaMBc6kJcF75P9C
df4DTwdwhHiuLtk=
-----END PRIVATE KEY-----`;

/** Signatures that `openssl dgst -sha256 -sign` made with that key of method, path, query, time and nonce. */
export const vectors = [
  {
    path: '/gateway/svc/payment/api/v1/openapi/customers',
    query: 'limit=20&linked_source_type=Store',
    now: '2026-01-02T03:04:05.678Z',
    nonce: '0b8f6d1e-3a52-4c7d-9e10-5f2a7c84d913',
    signature:
      'babvDxjrHs8rK8BhLpCQdtFGHAY7ZmPGAuj4teqyIBBROAonvAJMmd0af1jwXmZcbyXRvC4Hm6xizD24akpO8g' +
      'tBKISxdoWmFBsR5WYNulaut3QBuLaTjuhIlW/7WpoKZDw2+k8+Zdz3N8cKORa9EMwg148BhuI/4asz8zv32eA=',
  },
  {
    path: '/svc/ts/api/v1/openapi/cards/%C3%BC%2F1',
    query: '',
    now: '2026-12-31T23:59:59.000Z',
    nonce: 'n-2',
    signature:
      'YB0GWjts1lYsUTOIyhOdu31ou4noUxKls3StWraFMGTSIOYQLXT1SSjjON5RQWx7bc8EpAE0wXeZ0pm1Mo4eoA' +
      'd7q+7h3WqdB8z23khtqeuBVHiV3wLn97lPFPl1hQCrn9VkLIoln0ODuSfLEAGv8k25GwjrDd/XJ5X++Z0QRuc=',
  },
];

/** Verifies a signature by the arithmetic of RFC 8017 (section 8.2.2) alone: no other code signs and verifies. */
export function verifies(text: string, signature: string, privateKeyPem: string): boolean {
  const { n = '', e = '' } = createPublicKey(privateKeyPem).export({ format: 'jwk' });
  const [modulus, exponent] = [n, e].map((part) => integer(Buffer.from(part, 'base64url')));
  const bytes = Buffer.from(signature, 'base64');
  const message = power(integer(bytes), exponent ?? 0n, modulus ?? 1n);
  const digest = createHash('sha256').update(text).digest('hex');
  const encoded = `00${sha256Info}${digest}`;
  const padding = '01'.padEnd(bytes.length * 2 - 2 - encoded.length, 'f');
  return message === BigInt(`0x${padding}${encoded}`);
}

/** DER of DigestInfo for SHA-256 (RFC 8017, section 9.2, note 1). */
const sha256Info = '3031300d060960864801650304020105000420';

const integer = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);

function power(radix: bigint, exponent: bigint, modulus: bigint): bigint {
  if (exponent === 0n) return 1n;
  const half = power((radix * radix) % modulus, exponent / 2n, modulus);
  return exponent % 2n ? (half * radix) % modulus : half;
}
