import { isRecord, parseJson } from '../../schemas/json.ts';
import { isOverload } from '../../schemas/judge/classify.ts';
import { CredentialsError, createBlocked } from './reasons.ts';
import { isValidHeader } from './signing.ts';
import type { Target, TokenSettings } from './target.ts';
import { createTransport } from './transport.ts';

const createTokenError = (reason: string, isFinal = false) =>
  Object.assign(new CredentialsError(`no token: ${reason}`), { isFinal });

interface Token {
  value: string;
  /** Milliseconds since 1970. NaN if the lifetime of the token is unknown: the token is kept until a request gets HTTP 401. */
  renewAt: number;
}

/** Place of the client credentials in a token request: the header `Authorization`, or the form in the body. */
type CredentialsPlace = 'header' | 'body';

/** Fetches and caches an access token for client credentials (OAuth 2.0, RFC 6749 section 4.4). */
export class TokenSource {
  readonly #settings: TokenSettings;
  readonly #target: Target;
  readonly #onSecret: (value: string) => void;
  #credentialsPlace: CredentialsPlace = 'header';
  /** Latest token request. Concurrent callers share its result. */
  #lastFetch: Promise<Token> | undefined;
  #current: Token | undefined;

  constructor(settings: TokenSettings, target: Target, onSecret: (value: string) => void) {
    this.#settings = settings;
    this.#target = target;
    this.#onSecret = onSecret;
  }

  /**
   * Returns the `Authorization` header. Fetches a token if necessary.
   * @throws {CredentialsError} if no token can be fetched
   */
  async getAuthorization(): Promise<string> {
    // If `renewAt` is NaN, the comparison is false, so that the token is kept.
    const isExpiring = this.#current !== undefined && this.#current.renewAt <= Date.now();
    if (!this.#lastFetch || isExpiring) this.#lastFetch = this.#fetchToken();
    return formatAuthorization(await this.#lastFetch);
  }

  /** Discards the current token if the rejected header `authorization` contains it. */
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
      // The next call fetches again, but rejected credentials are not sent again.
      if (!isFinal) this.#lastFetch = undefined;
      throw error;
    }
  }

  async #requestToken(): Promise<TokenResponse> {
    const response = await sendTokenRequest(this.#settings, this.#credentialsPlace, this.#target);
    const isRejectedInHeader = this.#credentialsPlace === 'header' && rejectsClient(response);
    if (!isRejectedInHeader) return response;
    // Every server must accept the header (RFC 6749 section 2.3.1), but Okta can restrict a client to the body.
    const responseToBody = await sendTokenRequest(this.#settings, 'body', this.#target);
    const isRejectedInBoth = rejectsClient(responseToBody);
    if (isRejectedInBoth) return response;
    this.#credentialsPlace = 'body';
    return responseToBody;
  }
}

// RFC 6750 section 2.1.
const formatAuthorization = ({ value }: Token) => `Bearer ${value}`;

interface TokenResponse {
  status: number;
  fields: Record<string, unknown>;
}

const rejectsClient = ({ status, fields }: TokenResponse) =>
  status === 401 || /^invalid_(client|request)$/.test(String(fields.error));

function parseToken({ status, fields }: TokenResponse): Token {
  if (status !== 200) throw createRejection(status, fields);
  const { access_token: value, token_type: type = 'Bearer', expires_in: seconds } = fields;
  if (typeof value !== 'string' || !isValidHeader('authorization', value))
    throw createTokenError('the response of TOKEN_URL has no access_token that a header can hold');
  // The type is case-insensitive (RFC 6749 section 5.1).
  if (!/^bearer$/i.test(String(type)))
    throw createTokenError('TOKEN_URL issues tokens of another type than Bearer');
  // The token is renewed after 90 % of its lifetime. Without `expires_in`, both numbers are NaN, and the token is kept.
  const lifetimeMs = 1000 * Number(seconds ?? Number.NaN);
  return { value, renewAt: Date.now() + 0.9 * lifetimeMs };
}

/**
 * Sends one token request, without retries.
 * @throws {CredentialsError} if there is no readable response
 */
async function sendTokenRequest(
  settings: TokenSettings,
  credentialsPlace: CredentialsPlace,
  target: Target,
): Promise<TokenResponse> {
  const { url, proxy } = settings;
  const { headers, form } = buildTokenRequest(settings, credentialsPlace);
  // Uses a new connection: the server may close an idle one, and no client may repeat a POST automatically (RFC 9110 section 9.2.2).
  const transport = createTransport({ ...target, transport: { ...target.transport, proxy } }, url);
  try {
    const { status, body } = await transport.send(new URL(url), headers, form);
    const value = parseJson(body.toString())?.value;
    return { status, fields: isRecord(value) ? value : {} };
  } catch (error) {
    const { blocked } = createBlocked(error, target, proxy);
    // The sentence is about the target, but the request went to the token server.
    const reason = blocked.replaceAll('the target', 'the token server').replaceAll('BASE_URL', 'TOKEN_URL');
    throw createTokenError(reason);
  } finally {
    await transport.closeIdleContexts();
  }
}

function buildTokenRequest({ id, secret, scope }: TokenSettings, credentialsPlace: CredentialsPlace) {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'lookup-api-conformance',
  };
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scope) form.append('scope', scope);
  if (credentialsPlace === 'body') {
    form.append('client_id', id);
    form.append('client_secret', secret);
  } else {
    const credentials = `${encodeForm(id)}:${encodeForm(secret)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
  }
  return { headers, form: form.toString() };
}

/** Encodes a text for a form: `a b` becomes `a+b` (RFC 6749 section 2.3.1). */
// Keeps `~`, which is unreserved (RFC 3986 section 2.3), because some token servers do not decode `%7E`.
const encodeForm = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');

/** Matches error codes of a token server that messages may show, such as `invalid_client` (RFC 6749 section 5.2). */
// Any other text of a token server might be a secret.
const standardErrorCode =
  /^(invalid_(client|grant|request|scope)|unauthorized_client|unsupported_grant_type)$/;

function createRejection(status: number, { error }: Record<string, unknown>): CredentialsError {
  const shownCode = typeof error === 'string' && standardErrorCode.test(error) ? ` (${error})` : '';
  const hint = 'check TOKEN_URL, CLIENT_ID, CLIENT_SECRET and TOKEN_SCOPE';
  const isFinal = status >= 400 && status < 500 && status !== 429 && !isOverload(status);
  return createTokenError(`TOKEN_URL responded with HTTP ${status}${shownCode}: ${hint}`, isFinal);
}
