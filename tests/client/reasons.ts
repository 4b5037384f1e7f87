const reasons: [RegExp, string][] = [
  [/ECONNREFUSED/, 'the connection was refused: is the target running, are BASE_URL and proxy right?'],
  [/ENOTFOUND|EAI_AGAIN/, "the target's name could not be resolved: check the host in BASE_URL"],
  [/EHOSTUNREACH|ENETUNREACH|ETIMEDOUT/, 'the target cannot be reached from here: check network and proxy'],
  [
    /(Provider|DECODER|PEM) routines/,
    'the client certificate cannot be used: check CLIENT_CERT, CLIENT_KEY and CLIENT_KEY_PASSPHRASE',
  ],
  [/CERT|certificate|SSL|TLS|EPROTO/i, 'no secure connection could be made: check certificates and scheme'],
  [/ECONNRESET|socket hang up|EPIPE/, 'the connection was reset before the answer was complete'],
  [/aborted|premature|ERR_STREAM/i, 'the answer was cut off in the middle'],
  [/Parse Error|HPE_/, 'the answer is not HTTP'],
  [
    /incorrect header check|unexpected end of file|Z_|ERR__ERROR_FORMAT/i,
    'the body could not be decompressed',
  ],
];

/** A sentence on why there was no answer, made of nothing that Playwright said. */
export function reasonOf(message: string, timeout: number): string {
  if (/timed? ?out|Timeout \d+ms/i.test(message) && !/ETIMEDOUT/.test(message))
    return `no complete answer within ${timeout} ms (REQUEST_TIMEOUT_MS)`;
  return reasons.find(([known]) => known.test(message))?.[1] ?? 'the request failed for an unknown reason';
}

/** Whether the connection was closed under a request, as a server may do with one that was idle. */
export const isReset = (message: string) => /ECONNRESET|socket hang up|EPIPE/.test(message);
