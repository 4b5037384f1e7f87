import type { Limits } from './target.ts';

/** No answer that could be judged: a sentence that says why and holds nothing of the request. */
export interface Blocked {
  blocked: string;
  /** Set where the request was not sent at all. */
  notSent?: true;
  /** Set where there was no token, or no signature. */
  credentials?: true;
  /** Set where there is a response that this suite does not read. */
  unread?: true;
  /** Set if no connection to the target could be made. */
  unreachable?: true;
}

/** A request has no token, or no signature; the message is a sentence without a secret. */
export class CredentialsError extends Error {
  override name = 'CredentialsError';
  /** Whether a token server has rejected them: sent again and again, wrong ones may lock the client out. */
  isFinal = false;
}

/** Said of requests that were rejected, and of those that are not sent any more. */
export const unauthorizedSentence = (status: number): string =>
  `the credentials are rejected with HTTP ${status}: set or check API_HEADERS, TOKEN_URL or AUTH_MODULE`;

/** Why there is no response, in sentences that hold nothing of the request, the response or the error. */
const sentences = {
  refused: 'the connection was refused: is the target running, is BASE_URL right?',
  unresolved: "the target's name could not be resolved: check the host in BASE_URL",
  'no proxy': 'the proxy cannot be reached: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY',
  unreachable: 'the target cannot be reached from here: check network and proxy',
  'client certificate':
    'the client certificate cannot be used: check CLIENT_CERT, which holds its key as well, without a passphrase',
  insecure: 'no secure connection could be made: check certificates and scheme',
  expired: 'no secure connection could be made: the certificate of the target, or of the proxy, has expired',
  'other host': 'no secure connection could be made: the certificate of the target is of another host',
  reset: 'the connection was reset before the answer was complete',
  'not HTTP': 'the answer is not HTTP',
  'headers too large': 'the headers of the answer are larger than 64 KiB, the most that is read',
  'body too large': 'the body is larger than {megabytes} MiB, the most that is read and judged (MAX_BODY_MB)',
  undecodable: 'the body could not be decompressed',
  'proxy credentials':
    'the proxy rejected the request with HTTP 407: check the user and password of the proxy',
  'no tunnel': 'the proxy opened no tunnel to the target: check HTTPS_PROXY',
  timeout: 'no complete answer within {timeout} ms (REQUEST_TIMEOUT_MS)',
  unknown: 'the request failed for an unknown reason',
};

/** Why a request failed. */
type Reason = keyof typeof sentences;

/** A request that failed for a reason that this suite knows. */
export class ClientError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(sentences[reason]);
    this.reason = reason;
  }
}

/** Codes of errors of Node, OpenSSL and the parser of HTTP. The first that fits counts. */
const codes: [RegExp, Reason][] = [
  [/^ECONNREFUSED$/, 'refused'],
  [/^(ENOTFOUND|EAI_)/, 'unresolved'],
  [/^(EHOST|ENET|ETIMEDOUT|EADDRNOTAVAIL|ENONET|EINVAL$|EACCES|EPERM)/, 'unreachable'],
  [/^ERR_(OSSL|CRYPTO)/, 'client certificate'],
  [/^CERT_HAS_EXPIRED$/, 'expired'],
  [/ALTNAME|^HOSTNAME/, 'other host'],
  [/CERT|SELF_SIGNED|^ERR_(SSL|TLS)|EPROTO|^UNABLE_TO|^INVALID_|CRL|PATH_LENGTH/, 'insecure'],
  [/^(ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM)/, 'reset'],
  [/^HPE_HEADER_OVERFLOW$/, 'headers too large'],
  [/^HPE_/, 'not HTTP'],
];

/** Why there is no connection: to the proxy, where there is one. */
const unconnected: Reason[] = ['refused', 'unresolved', 'unreachable'];
/** Reasons for which every other request would fail as well. */
const unreachable: Reason[] = [
  ...unconnected,
  ...(['no proxy', 'client certificate', 'insecure', 'expired', 'other host', 'no tunnel'] as const),
];
const unread: Reason[] = ['headers too large', 'body too large', 'undecodable'];

/** What an error says, of which only the code is looked at. */
export function blockedBy(
  error: unknown,
  { timeoutMs, maxBodyBytes }: Limits,
  proxy: string | undefined,
): Blocked {
  const own = error instanceof ClientError ? error.reason : reasonOf(error);
  const reason = proxy && unconnected.includes(own) ? 'no proxy' : own;
  const sentence = sentences[reason]
    .replace('{timeout}', String(timeoutMs))
    .replace('{megabytes}', String(maxBodyBytes / 2 ** 20));
  return {
    blocked: sentence,
    ...(unread.includes(reason) ? { unread: true } : {}),
    ...(unreachable.includes(reason) ? { unreachable: true } : {}),
  };
}

function reasonOf(error: unknown): Reason {
  const code = error instanceof Error ? String((error as NodeJS.ErrnoException).code) : '';
  return codes.find(([known]) => known.test(code))?.[1] ?? 'unknown';
}
