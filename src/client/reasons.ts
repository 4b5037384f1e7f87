import type { Limits } from './target.ts';

/** Outcome of a request without a response to judge: it was not sent, it failed, or its response was not read. */
export interface Blocked {
  /** Reason as a sentence. Contains no part of request or response, so that every report may show it. */
  blocked: string;
  notSent?: true;
  /** True if the token server or `AUTH_MODULE` gave no credentials. */
  credentials?: true;
  /** True if the target responded, but the response was not read, for example because its body is too large. */
  unread?: true;
  /** True if no connection to the target can be made, so that every other request would fail as well. */
  unreachable?: true;
}

/** Error of a request without a token or signature. Its message holds no secret. */
export class CredentialsError extends Error {
  override name = 'CredentialsError';
  /** True if the token server rejected the credentials. They are not sent again, because that may lock the client out. */
  isFinal = false;
}

export const formatUnauthorizedReason = (rejection: string): string =>
  `the credentials are rejected with ${rejection}: set or check API_HEADERS, TOKEN_URL or AUTH_MODULE`;

/** Sentences for reports, keyed by the reason why there is no response to judge. None quotes request, response or error. */
const reasonSentences = {
  refused: 'the connection was refused: is the target running, is BASE_URL right?',
  unresolved: "the target's name could not be resolved: check the host in BASE_URL",
  'no proxy': 'the proxy cannot be reached: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY',
  unreachable: 'the target cannot be reached from here: check network and proxy',
  'client certificate':
    'the client certificate cannot be used: check CLIENT_CERT (certificate and private key) and CLIENT_CERT_PASSPHRASE',
  insecure: 'no secure connection could be made: check certificates and scheme',
  expired: 'no secure connection could be made: the certificate of the target, or of the proxy, has expired',
  'other host': 'no secure connection could be made: the certificate of the target is of another host',
  reset: 'the connection was reset before the response was complete',
  'not HTTP': 'the response is not HTTP',
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

export type Reason = keyof typeof reasonSentences;

/** Error of a failed request. Its message may have a placeholder such as `{timeout}`, which `describeFailure` replaces. */
export class ClientError extends Error {
  readonly reason: Reason;

  constructor(reason: Reason) {
    super(reasonSentences[reason]);
    this.reason = reason;
  }
}

/** Patterns of error codes of Node, OpenSSL or the HTTP parser, or of messages of errors without a code. The first match counts. */
const reasonPatterns: [RegExp, Reason][] = [
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

/** Classifies an error of Playwright's client. Its message is not shown, because it may hold the address. */
export function classifyClientError(error: unknown): Reason {
  if (error instanceof ClientError) return error.reason;
  const { code, message } = error as NodeJS.ErrnoException;
  const codeOrMessage = code ?? message.split('\n', 1)[0] ?? '';
  const [, reason = 'unknown'] = reasonPatterns.find(([pattern]) => pattern.test(codeOrMessage)) ?? [];
  return reason;
}

const unconnectedReasons: Reason[] = ['refused', 'unresolved', 'unreachable'];
/** Reasons that would make every other request to the target fail as well. */
const unreachableReasons: Reason[] = [
  ...unconnectedReasons,
  ...(['no proxy', 'client certificate', 'insecure', 'expired', 'other host', 'no tunnel'] as const),
];
const unreadReasons: Reason[] = ['headers too large', 'body too large', 'too much memory', 'undecodable'];

/**
 * Converts an error of `Transport.send` to the outcome of its request.
 * @param proxy address of the proxy: if no connection was made, the reason is then about the proxy
 */
export function describeFailure(
  error: unknown,
  { timeoutMs, maxBodyBytes }: Limits,
  proxy: string | undefined,
): Blocked {
  const transportReason = error instanceof ClientError ? error.reason : 'unknown';
  const reason = proxy && unconnectedReasons.includes(transportReason) ? 'no proxy' : transportReason;
  const sentence = reasonSentences[reason]
    .replace('{timeout}', String(timeoutMs))
    .replace('{megabytes}', String(maxBodyBytes / 2 ** 20));
  return {
    blocked: sentence,
    ...(unreadReasons.includes(reason) ? { unread: true } : {}),
    ...(unreachableReasons.includes(reason) ? { unreachable: true } : {}),
  };
}
