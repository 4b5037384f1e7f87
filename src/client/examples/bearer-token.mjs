// @ts-check
/**
 * AUTH_MODULE for a gateway that requires a bearer token: fetches one from `TOKEN_URL` with `CLIENT_ID` and
 * `CLIENT_SECRET` (OAuth 2.0 client credentials, RFC 6749 section 4.4), keeps it until shortly before it expires,
 * and fetches another when a request was rejected with 401.
 * @type {import('../signing.ts').Sign}
 */
export default async function sign({ now, unauthorized }) {
  if (unauthorized || !cachedToken || now.getTime() >= (await cachedToken).expiresAt)
    cachedToken = fetchToken(now);
  return { authorization: `Bearer ${(await cachedToken).value}` };
}

/**
 * A promise, so that requests that are sent together share one token.
 * @type {Promise<{ value: string, expiresAt: number }> | undefined}
 */
let cachedToken;

const secondsToSpare = 5;

/**
 * @param {Date} now
 * @returns {Promise<{ value: string, expiresAt: number }>} `expiresAt` in milliseconds since 1970
 */
async function fetchToken(now) {
  const { TOKEN_URL = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;
  const response = await fetch(TOKEN_URL, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    headers: { authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}` },
  });
  if (!response.ok) throw new Error(`the token address answered HTTP ${response.status}`);
  const { access_token: value, expires_in: seconds } = await response.json();
  return { value, expiresAt: now.getTime() + (seconds - secondsToSpare) * 1000 };
}
