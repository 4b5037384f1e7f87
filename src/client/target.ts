/** Identifiers to look up, keyed by variable: `{ CARD_IDS: ['a1'], USER_IDS: [] }`. */
export type Identifiers = Readonly<Record<string, readonly string[]>>;

/** Shard of a run: `{ current: 2, total: 3 }` for `--shard=2/3`. */
export interface Shard {
  current: number;
  total: number;
}

export const maxConcurrency = 4;

export interface Limits {
  /** Maximum time from sending a request to the end of the response body. */
  timeoutMs: number;
  /** Maximum size of a response body after decompression. */
  maxBodyBytes: number;
}

/** Settings of a run (docs/configuration.md). */
export interface Target extends Limits {
  name: string;
  isMock: boolean;
  /** Base URL of the target, without a trailing slash. Undefined for the embedded mock. May be undefined if `traffic` is set. */
  baseUrl: string | undefined;
  /** Files of recorded traffic to judge: `['session.har', 'more/*.har']`. The entry `-` stands for standard input. */
  traffic: string[] | undefined;
  identifiers: Identifiers;
  profile: 'observed' | 'documented';
  headers: Record<string, string>;
  /** Headers with the trace id of a request. The value `x-request-id` sends `traceparent`, too. */
  traceHeaders: 'traceparent' | 'x-request-id' | 'off';
  token: TokenSettings | undefined;
  authModule: string | undefined;
  transport: TransportVariables;
  /**
   * Maximum number of requests per second. The default is 10, or `Infinity` for the embedded mock. Each shard and each worker gets
   * an equal share of the configured number.
   */
  maxRps: number;
  /**
   * Conditions besides violations that make a run fail, such as `drift`. The suite adds `unjudged` to the configured list. If
   * recorded traffic is judged, or if the configured list contains `-unjudged`, the suite does not add `unjudged`.
   */
  failOn: readonly ('undeclared' | 'server-errors' | 'drift' | 'unjudged' | '-unjudged')[];
  /** Minimum percentage of schema nodes, such as fields, that a run must judge. The minimum applies to all shards together. */
  minCoverage: number;
  reportsDir: string;
  probes: boolean;
  fuzzRequests: number;
  /** Seed of the random requests. If undefined, each run chooses a new seed. */
  fuzzSeed: number | undefined;
  recordsAnswers: boolean;
  /** Absolute path of the file with the recorded answers to open questions, such as `/suite/observed/staging.json`. */
  answersFile: string;
  /** Ledger in addition to `spec/ledger.yaml` (`LEDGER_FILE`). Reports show `name` instead of `file`, which is an absolute path. */
  extraLedger: { file: string; name: string } | undefined;
  /** Absolute path of the folder with custom tests. */
  customTests: string | undefined;
  /** A number is the size of a random sample of customers. */
  sweep: 'off' | 'all' | number;
  /** Seed of the random sample of customers. If undefined, each run chooses a new seed. */
  sweepSeed: number | undefined;
  /** Unit in which `offset` counts. If undefined, the sweep infers the unit from the responses. */
  sweepOffset: 'records' | 'pages' | undefined;
  /** True to continue the interrupted sweep of an earlier run. */
  resume: boolean;
  /** Variables, such as `CARD_IDS`, whose identifiers need no percent-encoding in curl commands. */
  plainListVariables: readonly string[];
  /** Absolute paths of files with identifiers, keyed by variable: `{ CARD_IDS: '/data/cards.txt' }`. */
  identifierFiles: Readonly<Record<string, string>>;
  shard?: Shard | undefined;
  notices: string[];
}

/** Token server and client credentials (OAuth 2.0, RFC 6749 section 4.4). */
export interface TokenSettings {
  url: string;
  id: string;
  secret: string;
  scope: string | undefined;
  proxy: string | undefined;
}

interface TransportVariables {
  proxy: string | undefined;
  /** Path of a file with a certificate and its private key (PEM or PKCS #12). */
  clientCertificate: string | undefined;
  passphrase?: string | undefined;
  allowInvalidCertificates: boolean;
}

/** Returns whether a text is a dot segment of a path, `.` or `..` (RFC 3986 section 5.2.4). */
// URL parsers resolve a dot segment even if it is percent-encoded.
export const isDotSegment = (identifier: string): boolean => identifier === '.' || identifier === '..';

/** Returns whether a variable such as `CARD_IDS` has identifiers, as a list or in a file. */
export const hasIdentifiers = ({ identifiers, identifierFiles }: Target, variable: string): boolean =>
  Boolean(identifiers[variable]?.length || identifierFiles[variable]);

/** Returns whether a URL contains a user name or a password (RFC 3986 section 3.2.1). */
export function hasUserInUrl(url: string | undefined): boolean {
  if (url === undefined) return false;
  const { username, password } = new URL(url);
  return Boolean(username || password);
}
