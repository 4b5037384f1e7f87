import { isRecord, parse } from '../../schemas/json.ts';
import { CredentialsError, describeFailure } from './reasons.ts';
import { isHeader } from './signing.ts';
import type { Target, TokenSettings } from './target.ts';
import { createTransport } from './transport.ts';

/** Creates the error for a missing token. @param isFinal true if the credentials must not be sent again, because of a lockout */
const createTokenError = (reason: string, isFinal = false) =>
  Object.assign(new CredentialsError(`no token: ${reason}`), { isFinal });

/** Access token. */
interface Token {
  value: string;
  /** Time to renew the token, in milliseconds since 1970. Without `expires_in` (RFC 6749 section 5.1) NaN, which no time reaches. */
  renewAt: number;
}

/**
 * Creates the source of access tokens from `TOKEN_URL` (OAuth 2.0 client credentials, RFC 6749 section 4.4); undefined if it is not
 * set. All requests share one token, and wait for the same fetch. Credentials that the token server rejected are not sent again.
 * @param onSecret receives each token before it is used
 */
export function createTokenSource(target: Target, onSecret: (value: string) => void) {
  const { token: settings } = target;
  if (!settings) return undefined;
  /** True once the token server has rejected Basic and accepted credentials in the body. */
  let inBody = false;
  /** Fetch of the token in use, also a finished one; a final rejection stays here, so that no credentials are sent again. */
  let pending: Promise<Token> | undefined;
  let current: Token | undefined;
  // Tries Basic first, which every server must accept (RFC 6749 section 2.3.1), then the body: Okta can restrict a client to it.
  const requestToken = async () => {
    const response = await send(settings, inBody, target);
    if (inBody || !rejectsClient(response)) return response;
    const responseToBody = await send(settings, true, target);
    inBody = !rejectsClient(responseToBody);
    return inBody ? responseToBody : response;
  };
  const fetchToken = async () => {
    current = undefined;
    try {
      current = parseToken(await requestToken());
      onSecret(current.value);
      return current;
    } catch (error) {
      if (!(error instanceof CredentialsError && error.isFinal)) pending = undefined;
      throw error;
    }
  };
  return {
    /** Returns the value of `Authorization`. Fetches a token if there is none, or if it expires soon. @throws {CredentialsError} */
    get: async (): Promise<string> => {
      if (!pending || (current && current.renewAt <= Date.now())) pending = fetchToken();
      return formatHeader(await pending);
    },
    /** Drops the token after the target rejected `authorization`, so that `get` fetches another; unless that was an older token. */
    reject: (authorization = '') => {
      if (current && formatHeader(current) === authorization) pending = undefined;
    },
  };
}

const formatHeader = ({ value }: Token) => `Bearer ${value}`;

/** Response of a token server. */
interface TokenResponse {
  status: number;
  /** Keys of the JSON body; empty if the body is no JSON object. */
  fields: Record<string, unknown>;
}

/** Returns whether a token server rejected the credentials, or did not find them where they were sent (Basic or body). */
const rejectsClient = ({ status, fields }: TokenResponse) =>
  status === 401 || /^invalid_(client|request)$/.test(String(fields.error));

/** Parses the response of a token server. @throws {CredentialsError} if it has no Bearer token */
function parseToken({ status, fields }: TokenResponse): Token {
  if (status !== 200) throw createRejection(status, fields);
  const { access_token: value, token_type: type = 'Bearer', expires_in: seconds } = fields;
  if (typeof value !== 'string' || !isHeader('authorization', value))
    throw createTokenError('TOKEN_URL answered without an access_token that a header can carry');
  if (!/^bearer$/i.test(String(type)))
    throw createTokenError('TOKEN_URL issues tokens of another type than Bearer');
  // After 90 % of the lifetime. A missing `expires_in` gives NaN.
  return { value, renewAt: Date.now() + 900 * Number(seconds ?? Number.NaN) };
}

/** Requests a token, with the credentials as Basic or in the body. @throws {CredentialsError} if there is no response */
async function send(
  { url, id, secret, scope, proxy }: TokenSettings,
  inBody: boolean,
  target: Target,
): Promise<TokenResponse> {
  const bodyCredentials = inBody ? { client_id: id, client_secret: secret } : {};
  const fields = { grant_type: 'client_credentials', ...(scope ? { scope } : {}), ...bodyCredentials };
  const credentials = Buffer.from(`${encodeForm(id)}:${encodeForm(secret)}`).toString('base64');
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'lookup-api-conformance',
    ...(inBody ? {} : { authorization: `Basic ${credentials}` }),
  };
  const form = new URLSearchParams(fields).toString();
  // Opens a new connection, because a POST cannot be repeated if the server has closed a kept connection.
  const transport = createTransport({ ...target, transport: { ...target.transport, proxy } }, url);
  try {
    const { status, body } = await transport.send(new URL(url), headers, form);
    const value = parse(body.toString())?.value;
    return { status, fields: isRecord(value) ? value : {} };
  } catch (error) {
    const { blocked } = describeFailure(error, target, proxy);
    throw createTokenError(
      blocked.replaceAll('the target', 'the token server').replaceAll('BASE_URL', 'TOKEN_URL'),
    );
  } finally {
    await transport.close();
  }
}

/** Encodes client id or secret for Basic (RFC 6749 section 2.3.1). Leaves `~` and the like, because some servers do not decode. */
const encodeForm = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');

/** Error codes of RFC 6749 section 5.2. */
const errorCodes = /^(invalid_(client|grant|request|scope)|unauthorized_client|unsupported_grant_type)$/;

/** Creates the error for a token request that was answered with another status than 200. HTTP 4xx is final, except 429. */
function createRejection(status: number, { error }: Record<string, unknown>): CredentialsError {
  const code = typeof error === 'string' && errorCodes.test(error) ? ` (${error})` : '';
  const hint = 'check TOKEN_URL, CLIENT_ID, CLIENT_SECRET and TOKEN_SCOPE';
  const sentence = `TOKEN_URL answered HTTP ${status}${code}: ${hint}`;
  return createTokenError(sentence, status >= 400 && status < 500 && status !== 429);
}
