import type { Limits } from './target.ts';

/** Outcome of a request that got no response to judge, for example after a timeout. */
export interface Blocked {
  /** Reason as a sentence for reports. The sentence holds no secret. */
  blocked: string;
  notSent?: true;
  /** True if the token server or `AUTH_MODULE` provided no credentials. */
  lacksCredentials?: true;
  /** True if a response arrived, but could not be read, for example because its body is too large. */
  unread?: true;
  unreachable?: true;
}

/** Failure to get credentials from the token server or `AUTH_MODULE`. The message holds no secret. */
export class CredentialsError extends Error {
  override name = 'CredentialsError';
  /** True if the token server rejected the token request. The client does not repeat this request, to prevent a lockout. */
  isFinal = false;
}

export const formatUnauthorizedReason = (rejection: string): string =>
  `the credentials are rejected with ${rejection}: set or check API_HEADERS, TOKEN_URL or AUTH_MODULE`;

/** Sentences for reports, keyed by the reason why a request failed. */
const failureSentences = {
  refused: 'the connection was refused: is the target running, is BASE_URL right?',
  unresolved: "the target's name could not be resolved: check the host in BASE_URL",
  'proxy unreachable': 'the proxy cannot be reached: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY',
  unreachable: 'the target cannot be reached from here: check network and proxy',
  'client certificate':
    'the client certificate cannot be used: check CLIENT_CERT (certificate and private key) and CLIENT_CERT_PASSPHRASE',
  'self-signed':
    'the certificate of the target, or of the proxy, is self-signed: set NODE_EXTRA_CA_CERTS, or ALLOW_INVALID_CERTIFICATES=1',
  'unknown authority':
    'the certificate of the target, or of the proxy, is of an unknown authority: set NODE_EXTRA_CA_CERTS, or ALLOW_INVALID_CERTIFICATES=1',
  'no TLS': 'the target, or the proxy, does not use TLS: is its address http://?',
  insecure: 'no secure connection could be made: check certificates and scheme',
  expired: 'no secure connection could be made: the certificate of the target, or of the proxy, has expired',
  'other host': 'no secure connection could be made: the certificate of the target is of another host',
  reset: 'the connection was reset before the response was complete',
  'not HTTP': 'the response is not valid HTTP',
  'headers too large':
    'the response headers exceed the limit of Node, 16 KiB by default: raise it with NODE_OPTIONS=--max-http-header-size=65536',
  'body too large': 'the body is larger than {megabytes} MiB (MAX_BODY_MB), so it is not judged',
  'too much memory':
    'the body, or one that arrived at the same time, is much larger than {megabytes} MiB (MAX_BODY_MB), so it is not judged',
  undecodable: 'the body could not be decompressed',
  'proxy credentials':
    'the proxy rejected the request with HTTP 407: check the user and password of the proxy',
  'no tunnel': 'the proxy opened no tunnel to the target: check HTTP_PROXY and HTTPS_PROXY',
  timeout: 'no complete response within {timeout} ms (REQUEST_TIMEOUT_MS)',
  unknown: 'the request failed for an unknown reason',
};

export type FailureReason = keyof typeof failureSentences;

/**
 * Error of a failed request. The message may contain an unfilled placeholder such as `{timeout}`. `createBlocked` builds the
 * complete sentence.
 */
export class TransportError extends Error {
  readonly reason: FailureReason;

  constructor(reason: FailureReason) {
    super(failureSentences[reason]);
    this.reason = reason;
  }
}

/** Patterns for the code or message of an error, such as `ECONNREFUSED`. The first pattern that matches gives the reason. */
const failurePatterns: [RegExp, FailureReason][] = [
  [/\bECONNREFUSED\b/, 'refused'],
  [/\b(ENOTFOUND|EAI_|Cannot resolve address)/, 'unresolved'],
  [/\b(EHOST|ENET|ETIMEDOUT|EADDRNOTAVAIL|ENONET|EINVAL\b|EACCES|EPERM)/, 'unreachable'],
  [/\bDEPTH_ZERO_SELF_SIGNED_CERT\b/, 'self-signed'],
  [
    /\b(SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT)/,
    'unknown authority',
  ],
  [/\bEPROTO\b.*:wrong version number:/, 'no TLS'],
  [/\bCERT_HAS_EXPIRED\b/, 'expired'],
  [/ALTNAME|\bHOSTNAME/, 'other host'],
  [/CERT|SELF_SIGNED|\bERR_(SSL|TLS)|EPROTO|\bUNABLE_TO|\bINVALID_|CRL|PATH_LENGTH/, 'insecure'],
  [/\bProxy connection ended/, 'no tunnel'],
  [/ECONNRESET|ECONNABORTED|EPIPE|ERR_STREAM|\baborted|socket hang up|disconnected before/, 'reset'],
  [/\bHPE_HEADER_OVERFLOW\b/, 'headers too large'],
  [/\bHPE_|\bInvalid header from proxy/, 'not HTTP'],
  [/\bfailed to decompress\b/, 'undecodable'],
];

/** Infers from an error why a request failed: `refused` for the code `ECONNREFUSED`. Returns `unknown` if no pattern matches. */
export function classifyTransportError(error: unknown): FailureReason {
  if (error instanceof TransportError) return error.reason;
  const { code, message } = error as NodeJS.ErrnoException;
  const [firstLine = ''] = message.split('\n', 1);
  // Of the codes, only EPROTO has several causes: OpenSSL names the cause in the message.
  const codeOrMessage = code === undefined || code === 'EPROTO' ? firstLine : code;
  for (const [pattern, reason] of failurePatterns) {
    if (pattern.test(codeOrMessage)) return reason;
  }
  return 'unknown';
}

const unconnectedReasons: FailureReason[] = ['refused', 'unresolved', 'unreachable'];
const unreachableReasons: FailureReason[] = [
  ...unconnectedReasons,
  'proxy unreachable',
  'client certificate',
  'self-signed',
  'unknown authority',
  'no TLS',
  'insecure',
  'expired',
  'other host',
  'no tunnel',
];
const unreadReasons: FailureReason[] = [
  'headers too large',
  'body too large',
  'too much memory',
  'undecodable',
];

/**
 * Creates the outcome of a failed request: `{ blocked: 'no complete response within 30000 ms (REQUEST_TIMEOUT_MS)' }`.
 * @param error error that was thrown. For any error but a `TransportError`, the outcome says that the reason is unknown.
 * @param proxy URL of the proxy, if the request used one. With a proxy, a failed connection means that the proxy is unreachable.
 */
export function createBlocked(
  error: unknown,
  { timeoutMs, maxBodyBytes }: Limits,
  proxy: string | undefined,
): Blocked {
  const transportReason = error instanceof TransportError ? error.reason : 'unknown';
  // With a proxy, the client connects only to the proxy.
  const isProxyUnreachable = Boolean(proxy) && unconnectedReasons.includes(transportReason);
  const reason = isProxyUnreachable ? 'proxy unreachable' : transportReason;
  const sentence = failureSentences[reason]
    .replace('{timeout}', String(timeoutMs))
    .replace('{megabytes}', String(maxBodyBytes / 2 ** 20));
  const outcome: Blocked = { blocked: sentence };
  if (unreadReasons.includes(reason)) outcome.unread = true;
  if (unreachableReasons.includes(reason)) outcome.unreachable = true;
  return outcome;
}
