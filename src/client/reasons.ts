import type { Limits } from './target.ts';

/** Why there is no response, in sentences that hold nothing of the request, the response or the error. */
const sentences = {
  refused: 'the connection was refused: is the target running, are BASE_URL and proxy right?',
  unresolved: "the target's name could not be resolved: check the host in BASE_URL",
  unreachable: 'the target cannot be reached from here: check network and proxy',
  'client certificate':
    'the client certificate cannot be used: check CLIENT_CERT, which holds its key as well, and CLIENT_KEY_PASSPHRASE',
  insecure: 'no secure connection could be made: check certificates and scheme',
  expired: 'no secure connection could be made: the certificate of the target, or of the proxy, has expired',
  'other host': 'no secure connection could be made: the certificate of the target is of another host',
  reset: 'the connection was reset before the answer was complete',
  cut: 'the answer was cut off in the middle',
  'not HTTP': 'the answer is not HTTP',
  'headers too large': 'the headers of the answer are larger than 64 KiB, the most that is read',
  'body too large': 'the body is larger than {megabytes} MiB, the most that is read and judged (MAX_BODY_MB)',
  undecodable: 'the body could not be decompressed',
  upgrade: 'the answer is HTTP 101, which switches to a protocol that was not requested',
  'proxy credentials':
    'the proxy rejected the request with HTTP 407: check the user and password of the proxy',
  'no tunnel': 'the proxy opened no tunnel to the target: check HTTPS_PROXY',
  timeout: 'no complete answer within {timeout} ms (REQUEST_TIMEOUT_MS)',
  unknown: 'the request failed for an unknown reason',
};

/** Why a request failed. */
export type Reason = keyof typeof sentences;

/** A request that failed for a reason that this suite knows. */
export class ClientError extends Error {
  readonly reason: Reason;
  /** Whether the connection had been used before, and was closed under the request. */
  readonly reused: boolean;

  constructor(reason: Reason, { reused = false } = {}) {
    super(sentences[reason]);
    this.reason = reason;
    this.reused = reused;
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
  [/^(ECONNRESET|ECONNABORTED|EPIPE)$/, 'reset'],
  [/^ERR_STREAM/, 'cut'],
  [/^HPE_HEADER_OVERFLOW$/, 'headers too large'],
  [/^HPE_/, 'not HTTP'],
];

/** A sentence on why there was no response. Of an error only its code is looked at. */
export const reasonOf = (error: unknown, { timeoutMs, maxBodyBytes }: Limits): string =>
  sentences[kindOf(error)]
    .replace('{timeout}', String(timeoutMs))
    .replace('{megabytes}', String(maxBodyBytes / 2 ** 20));

function kindOf(error: unknown): Reason {
  if (error instanceof ClientError) return error.reason;
  const code = codeOf(error);
  return codes.find(([known]) => known.test(code))?.[1] ?? 'unknown';
}

function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : '';
}

const unread = new Set<Reason>(['headers too large', 'body too large', 'undecodable']);

/** Whether there was a response that this suite does not read, however often it is requested. */
export const isUnread = (error: unknown) => unread.has(kindOf(error));

/** Whether a connection that was used before was closed under the request, as a server may do with an idle one. */
export const isReset = (error: unknown) => error instanceof ClientError && error.reused;
