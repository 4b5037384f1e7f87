// @ts-check
import { randomUUID, sign as rsaSign } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * `AUTH_MODULE` for a gateway that requires each request to be signed with RSA-SHA256 (RFC 8017, PKCS #1 v1.5), as payment
 * providers commonly do. The variable `APP_ID` holds the id of the application, and `PRIVATE_KEY_FILE` the path of its private key
 * in PEM. Signs method, path, query, time and nonce, one per line; time and nonce are new for every request.
 * @type {import('../signing.ts').Sign}
 */
export default function sign({ method, path, query, now }) {
  const { APP_ID = '', PRIVATE_KEY_FILE = '' } = process.env;
  // Read once, by the first request.
  key ??= readFileSync(PRIVATE_KEY_FILE, 'utf8');
  const [time, nonce] = [now.toISOString(), randomUUID()];
  const text = [method, path, query, time, nonce].join('\n');
  const signature = rsaSign('RSA-SHA256', Buffer.from(text), key).toString('base64');
  return { 'x-app-id': APP_ID, 'x-request-time': time, 'x-nonce': nonce, 'x-signature': signature };
}

/** @type {string | undefined} */
let key;
