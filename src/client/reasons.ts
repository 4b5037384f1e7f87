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
    'the client certificate cannot be used: check CLIENT_CERT, which holds its key as well, and CLIENT_CERT_PASSPHRASE',
  insecure: 'no secure connection could be made: check certificates and scheme',
  expired: 'no secure connection could be made: the certificate of the target, or of the proxy, has expired',
  'other host': 'no secure connection could be made: the certificate of the target is of another host',
  reset: 'the connection was reset before the answer was complete',
  'not HTTP': 'the answer is not HTTP',
  'headers too large':
    'the headers of the response are more than Node reads, 16 KiB by default: NODE_OPTIONS=--max-http-header-size=65536 raises that',
  'body too large': 'the body is larger than {megabytes} MiB, the most that is read and judged (MAX_BODY_MB)',
  'too much memory':
    'the body, or one that arrived at the same time, is much larger than {megabytes} MiB, the most that is read and judged (MAX_BODY_MB)',
  undecodable: 'the body could not be decompressed',
  'proxy credentials':
    'the proxy rejected the request with HTTP 407: check the user and password of the proxy',
  'no tunnel': 'the proxy opened no tunnel to the target: check HTTP_PROXY and HTTPS_PROXY',
  timeout: 'no complete answer within {timeout} ms (REQUEST_TIMEOUT_MS)',
  unknown: 'the request failed for an unknown reason',
};

/** Why a request failed. */
export type Reason = keyof typeof sentences;

/** Failure of a request, for a reason that this suite knows. */
export class ClientError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(sentences[reason]);
    this.reason = reason;
  }
}

/** Codes of Node, OpenSSL and the HTTP parser, and words of errors that have none. The first match counts. */
const patterns: [RegExp, Reason][] = [
  [/\bECONNREFUSED\b/, 'refused'],
  [/\b(ENOTFOUND|EAI_|Cannot resolve address)/, 'unresolved'],
  [/\b(EHOST|ENET|ETIMEDOUT|EADDRNOTAVAIL|ENONET|EINVAL\b|EACCES|EPERM)/, 'unreachable'],
  [/\bCERT_HAS_EXPIRED\b/, 'expired'],
  [/ALTNAME|\bHOSTNAME/, 'other host'],
  [/CERT|SELF_SIGNED|\bERR_(SSL|TLS)|EPROTO|\bUNABLE_TO|\bINVALID_|CRL|PATH_LENGTH/, 'insecure'],
  [/\bProxy connection ended/, 'no tunnel'],
  [/ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM|\baborted|socket hang up|disconnected before/, 'reset'],
  [/\bHPE_HEADER_OVERFLOW\b/, 'headers too large'],
  [/\bHPE_|\bInvalid header from proxy/, 'not HTTP'],
  [/\bfailed to decompress\b/, 'undecodable'],
];

/** Classifies an error of Playwright's client by its code, or by the first line of its text, which must not be shown. */
export function reasonFor(error: unknown): Reason {
  if (error instanceof ClientError) return error.reason;
  const { code, message } = error as NodeJS.ErrnoException;
  const text = code ?? message.split('\n', 1)[0] ?? '';
  return patterns.find(([pattern]) => pattern.test(text))?.[1] ?? 'unknown';
}

/** Reasons for which no connection exists: to the proxy, if there is a proxy. */
const unconnected: Reason[] = ['refused', 'unresolved', 'unreachable'];
/** Reasons for which every other request would fail as well. */
const unreachable: Reason[] = [
  ...unconnected,
  ...(['no proxy', 'client certificate', 'insecure', 'expired', 'other host', 'no tunnel'] as const),
];
const unread: Reason[] = ['headers too large', 'body too large', 'too much memory', 'undecodable'];

/** Describes a failed request in a sentence. */
export function describeFailure(
  error: unknown,
  { timeoutMs, maxBodyBytes }: Limits,
  proxy: string | undefined,
): Blocked {
  const failure = error instanceof ClientError ? error.reason : 'unknown';
  const reason = proxy && unconnected.includes(failure) ? 'no proxy' : failure;
  const sentence = sentences[reason]
    .replace('{timeout}', String(timeoutMs))
    .replace('{megabytes}', String(maxBodyBytes / 2 ** 20));
  return {
    blocked: sentence,
    ...(unread.includes(reason) ? { unread: true } : {}),
    ...(unreachable.includes(reason) ? { unreachable: true } : {}),
  };
}
