import { isRecord, parse } from '../../schemas/json.ts';
import { CredentialsError, describeFailure } from './reasons.ts';
import { isHeader } from './signing.ts';
import type { Target, TokenSettings } from './target.ts';
import { createTransport } from './transport.ts';

const noToken = (reason: string, isFinal = false) =>
  Object.assign(new CredentialsError(`no token: ${reason}`), { isFinal });

interface Token {
  value: string;
  /** Milliseconds since 1970, before it expires; NaN, which is never reached, where nothing says when (RFC 6749 section 5.1). */
  renewAt: number;
}

/**
 * Opens the source of tokens (OAuth 2.0 client credentials, RFC 6749 section 4.4). All requests share one; what was rejected by
 * the token server is not asked again.
 * @param onSecret receives each token before it is used
 */
export function createTokenSource(target: Target, onSecret: (value: string) => void) {
  const { token: settings } = target;
  if (!settings) return undefined;
  let inBody = false;
  let held: Promise<Token> | undefined;
  let current: Token | undefined;
  // Every server must take Basic (RFC 6749 section 2.3.1), and clients of Okta, say, may be set to the body alone.
  const ask = async () => {
    const answer = await send(settings, inBody, target);
    if (inBody || !rejectsClient(answer)) return answer;
    const other = await send(settings, true, target);
    inBody = !rejectsClient(other);
    return inBody ? other : answer;
  };
  const fetchToken = async () => {
    current = undefined;
    try {
      current = tokenIn(await ask());
      onSecret(current.value);
      return current;
    } catch (error) {
      if (!(error instanceof CredentialsError && error.isFinal)) held = undefined;
      throw error;
    }
  };
  return {
    /** The header with the token, fetched where there is none, or where it is about to expire. @throws {CredentialsError} */
    get: async (): Promise<string> => {
      if (!held || (current && current.renewAt <= Date.now())) held = fetchToken();
      return headerWith(await held);
    },
    /** Gives up the token of a header that a target has rejected; another one that was fetched since stays. */
    reject: (authorization = '') => {
      if (current && headerWith(current) === authorization) held = undefined;
    },
  };
}

const headerWith = ({ value }: Token) => `Bearer ${value}`;

/** What a token server has answered. */
interface TokenAnswer {
  status: number;
  fields: Record<string, unknown>;
}

/** Whether the credentials were rejected, or not found where they were sent. */
const rejectsClient = ({ status, fields }: TokenAnswer) =>
  status === 401 || /^invalid_(client|request)$/.test(String(fields.error));

function tokenIn({ status, fields }: TokenAnswer): Token {
  if (status !== 200) throw rejection(status, fields);
  const { access_token: value, token_type: type = 'Bearer', expires_in: seconds } = fields;
  if (typeof value !== 'string' || !isHeader('authorization', value))
    throw noToken('TOKEN_URL answered without an access_token that a header can carry');
  if (!/^bearer$/i.test(String(type))) throw noToken('TOKEN_URL issues tokens of another type than Bearer');
  return { value, renewAt: Date.now() + 900 * Number(seconds ?? Number.NaN) };
}

/** @throws {CredentialsError} where there is no answer. */
async function send(
  { url, id, secret, scope, proxy }: TokenSettings,
  inBody: boolean,
  target: Target,
): Promise<TokenAnswer> {
  const own = inBody ? { client_id: id, client_secret: secret } : {};
  const fields = { grant_type: 'client_credentials', ...(scope ? { scope } : {}), ...own };
  const credentials = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64');
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'lookup-api-conformance',
    ...(inBody ? {} : { authorization: `Basic ${credentials}` }),
  };
  const form = new URLSearchParams(fields).toString();
  // A connection of its own: a POST cannot be repeated if a kept connection turns out to be closed.
  const transport = createTransport({ ...target, transport: { ...target.transport, proxy } }, url);
  try {
    const { status, body } = await transport.send(new URL(url), headers, form);
    const answer = parse(body.toString())?.value;
    return { status, fields: isRecord(answer) ? answer : {} };
  } catch (error) {
    const { blocked } = describeFailure(error, target, proxy);
    throw noToken(blocked.replaceAll('the target', 'the token server').replaceAll('BASE_URL', 'TOKEN_URL'));
  } finally {
    await transport.close();
  }
}

/** As RFC 6749 has it for Basic (section 2.3.1). What needs no encoding is left, since servers exist that decode nothing. */
const formEncoded = (text: string) => encodeURIComponent(text).replaceAll('%20', '+');

/** The errors of RFC 6749 section 5.2, which say what is wrong. */
const known = /^(invalid_(client|grant|request|scope)|unauthorized_client|unsupported_grant_type)$/;

function rejection(status: number, { error }: Record<string, unknown>): CredentialsError {
  const code = typeof error === 'string' && known.test(error) ? ` (${error})` : '';
  const hint = 'check TOKEN_URL, CLIENT_ID, CLIENT_SECRET and TOKEN_SCOPE';
  const said = `TOKEN_URL answered HTTP ${status}${code}: ${hint}`;
  return noToken(said, status >= 400 && status < 500 && status !== 429);
}
