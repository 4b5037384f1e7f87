import { isRecord, parseJson } from '../../schemas/json.ts';
import { CredentialsError, describeFailure } from './reasons.ts';
import { isValidHeader } from './signing.ts';
import type { Target, TokenSettings } from './target.ts';
import { createTransport } from './transport.ts';

/**
 * Creates the error of a request that cannot be sent because no token could be fetched: `no token: REASON`.
 * @param isFinal true if the credentials must not be sent again, because that may lock the client out
 */
const createTokenError = (reason: string, isFinal = false) =>
  Object.assign(new CredentialsError(`no token: ${reason}`), { isFinal });

interface Token {
  value: string;
  /**
   * Time from which the token is renewed, in milliseconds since 1970. NaN if the token server sent no `expires_in` (RFC 6749
   * section 5.1): then the token is not renewed, because every comparison with NaN is false.
   */
  renewAt: number;
}

/** Where a token request holds the client credentials: in the header `Authorization: Basic`, or in the form of the body. */
type CredentialsPlace = 'header' | 'body';

/** Creates a source of access tokens; undefined if `TOKEN_URL` is not set. */
export const createTokenSource = (
  target: Target,
  onSecret: (value: string) => void,
): TokenSource | undefined => target.token && new TokenSource(target.token, target, onSecret);

/**
 * Fetches access tokens from `TOKEN_URL` (OAuth 2.0 client credentials, RFC 6749 section 4.4). All requests share one token. If the
 * token server rejects the credentials, they are not sent again, because that may lock the client out.
 */
class TokenSource {
  readonly #settings: TokenSettings;
  readonly #target: Target;
  readonly #onSecret: (value: string) => void;
  /** `body` once the token server has rejected credentials in the header and accepted them in the body. */
  #credentialsPlace: CredentialsPlace = 'header';
  /** Last fetch of a token, running or finished. If it was rejected for good, it stays, so that no credentials are sent again. */
  #lastFetch: Promise<Token> | undefined;
  #current: Token | undefined;

  /** @param onSecret receives each token before it is used, so that reports can redact it */
  constructor(settings: TokenSettings, target: Target, onSecret: (value: string) => void) {
    this.#settings = settings;
    this.#target = target;
    this.#onSecret = onSecret;
  }

  /**
   * Returns the value of the header `Authorization`. Fetches a token if there is none, or if the token expires soon.
   * @throws {CredentialsError} if there is no token
   */
  async getAuthorization(): Promise<string> {
    const isExpiring = this.#current !== undefined && this.#current.renewAt <= Date.now();
    if (!this.#lastFetch || isExpiring) this.#lastFetch = this.#fetchToken();
    return formatAuthorization(await this.#lastFetch);
  }

  /**
   * Discards the current token if a request with this `authorization` got HTTP 401, so that `getAuthorization` fetches another one.
   * Keeps the token if `authorization` holds an older one.
   */
  discard(authorization = ''): void {
    if (this.#current && formatAuthorization(this.#current) === authorization) this.#lastFetch = undefined;
  }

  async #fetchToken(): Promise<Token> {
    this.#current = undefined;
    try {
      this.#current = parseToken(await this.#requestToken());
      this.#onSecret(this.#current.value);
      return this.#current;
    } catch (error) {
      const isFinal = error instanceof CredentialsError && error.isFinal;
      if (!isFinal) this.#lastFetch = undefined;
      throw error;
    }
  }

  /**
   * Tries Basic first, which every server must accept (RFC 6749 section 2.3.1), then the body: Okta can restrict a client to it.
   */
  async #requestToken(): Promise<TokenResponse> {
    const response = await sendTokenRequest(this.#settings, this.#credentialsPlace, this.#target);
    if (this.#credentialsPlace === 'body' || !rejectsClient(response)) return response;
    const responseToBody = await sendTokenRequest(this.#settings, 'body', this.#target);
    if (rejectsClient(responseToBody)) return response;
    this.#credentialsPlace = 'body';
    return responseToBody;
  }
}

// RFC 6750 section 2.1.
const formatAuthorization = ({ value }: Token) => `Bearer ${value}`;

/** Response of a token server, with the fields that RFC 6749 section 5 defines. */
interface TokenResponse {
  status: number;
  /** Fields of the JSON body, such as `access_token`; empty if the body is no JSON object. */
  fields: Record<string, unknown>;
}

/** Returns whether a token server rejected the client credentials, or did not find them where they were sent. */
const rejectsClient = ({ status, fields }: TokenResponse) =>
  status === 401 || /^invalid_(client|request)$/.test(String(fields.error));

/** Reads the token from a response of a token server. @throws {CredentialsError} if there is no valid Bearer token */
function parseToken({ status, fields }: TokenResponse): Token {
  if (status !== 200) throw createRejection(status, fields);
  const { access_token: value, token_type: type = 'Bearer', expires_in: seconds } = fields;
  if (typeof value !== 'string' || !isValidHeader('authorization', value))
    throw createTokenError('the response of TOKEN_URL has no access_token that a header can hold');
  // The type is case-insensitive (RFC 6749 section 5.1).
  if (!/^bearer$/i.test(String(type)))
    throw createTokenError('TOKEN_URL issues tokens of another type than Bearer');
  // Renewed after 90 % of the lifetime: 900 of 1000 milliseconds for each second.
  const renewAfterMs = 900 * Number(seconds ?? Number.NaN);
  return { value, renewAt: Date.now() + renewAfterMs };
}

/** Sends one token request, without retries. @throws {CredentialsError} if there is no response */
async function sendTokenRequest(
  { url, id, secret, scope, proxy }: TokenSettings,
  credentialsPlace: CredentialsPlace,
  target: Target,
): Promise<TokenResponse> {
  const isInBody = credentialsPlace === 'body';
  const bodyCredentials = isInBody ? { client_id: id, client_secret: secret } : {};
  const fields = { grant_type: 'client_credentials', ...(scope ? { scope } : {}), ...bodyCredentials };
  const credentials = Buffer.from(`${encodeForm(id)}:${encodeForm(secret)}`).toString('base64');
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'lookup-api-conformance',
    ...(isInBody ? {} : { authorization: `Basic ${credentials}` }),
  };
  const form = new URLSearchParams(fields).toString();
  // A new connection: if the server has closed a kept one, a POST must not be repeated by itself (RFC 9110 section 9.2.2).
  const transport = createTransport({ ...target, transport: { ...target.transport, proxy } }, url);
  try {
    const { status, body } = await transport.send(new URL(url), headers, form);
    const value = parseJson(body.toString())?.value;
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

/**
 * Encodes the client id or secret for `Authorization: Basic` as in a form (RFC 6749 section 2.3.1): a space becomes `+`. Does not
 * encode characters such as `~` and `!`, because some token servers do not decode them.
 */
const encodeForm = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');

/** Matches the error codes of RFC 6749 section 5.2. Messages show no other text of a token server, because it might be a secret. */
const standardErrorCode =
  /^(invalid_(client|grant|request|scope)|unauthorized_client|unsupported_grant_type)$/;

/**
 * Creates the error for a response of the token server other than HTTP 200: `no token: TOKEN_URL responded with HTTP 401
 * (invalid_client): …`. The error of HTTP 4xx, except 429, is final: the credentials are not sent again.
 */
function createRejection(status: number, { error }: Record<string, unknown>): CredentialsError {
  const shownCode = typeof error === 'string' && standardErrorCode.test(error) ? ` (${error})` : '';
  const hint = 'check TOKEN_URL, CLIENT_ID, CLIENT_SECRET and TOKEN_SCOPE';
  const isFinal = status >= 400 && status < 500 && status !== 429;
  return createTokenError(`TOKEN_URL responded with HTTP ${status}${shownCode}: ${hint}`, isFinal);
}
