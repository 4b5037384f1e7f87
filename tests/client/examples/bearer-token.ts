import type { Sign } from '../signing.ts';

/**
 * AUTH_MODULE for a gateway that requires a bearer token: fetches one from `TOKEN_URL` with `CLIENT_ID` and
 * `CLIENT_SECRET` (OAuth 2.0 client credentials, RFC 6749 section 4.4), keeps it until shortly before it expires,
 * and fetches another when a request was rejected with 401.
 */
const sign: Sign = async ({ now, unauthorized }) => {
  if (unauthorized || !cachedToken || now.getTime() >= (await cachedToken).expiresAt)
    cachedToken = fetchToken(now);
  return { authorization: `Bearer ${(await cachedToken).value}` };
};

export default sign;

interface Token {
  value: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

// A promise, so that requests that are sent together share one token.
let cachedToken: Promise<Token> | undefined;

const secondsToSpare = 5;

async function fetchToken(now: Date): Promise<Token> {
  const { TOKEN_URL = '', CLIENT_ID = '', CLIENT_SECRET = '' } = process.env;
  const response = await fetch(TOKEN_URL, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
    headers: { authorization: `Basic ${Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64')}` },
  });
  if (!response.ok) throw new Error(`the token address answered HTTP ${response.status}`);
  const answer = (await response.json()) as { access_token: string; expires_in: number };
  return {
    value: answer.access_token,
    expiresAt: now.getTime() + (answer.expires_in - secondsToSpare) * 1000,
  };
}
