/** Identifiers to look up, keyed by variable: `{ CARD_IDS: ['a1'], USER_IDS: [] }`. The list is empty if the variable names a file. */
export type Identifiers = Readonly<Record<string, readonly string[]>>;

/** Shard of a run: `{ current: 2, total: 3 }` for `--shard=2/3`. */
export interface Shard {
  current: number;
  total: number;
}

export const maxConcurrency = 4;

export interface Limits {
  /** Maximum time from sending a request to the end of the response's body. */
  timeoutMs: number;
  /** Maximum size of a decompressed body. A longer body is not judged. */
  maxBodyBytes: number;
}

/** Settings of a run, most of which `variableTable` explains (`src/run/variable-table.ts`, docs/configuration.md). */
export interface Target extends Limits {
  name: string;
  isMock: boolean;
  /** Base address without a trailing slash. Undefined for the embedded mock, or for recorded traffic of any host. */
  baseUrl: string | undefined;
  /** Files, patterns, or `-` for standard input (`TRAFFIC`). An empty text stands for a file of another shard. */
  traffic: string[] | undefined;
  identifiers: Identifiers;
  /** `observed`: known deviations (`spec/ledger.yaml`, `LEDGER_FILE`) do not fail the run. `documented`: they do. */
  profile: 'observed' | 'documented';
  headers: Record<string, string>;
  /** Headers with the trace id (`REQUEST_ID`): `traceparent` alone, `x-request-id` in addition, or none (`off`). */
  traceHeaders: 'traceparent' | 'x-request-id' | 'off';
  token: TokenSettings | undefined;
  authModule: string | undefined;
  transport: TransportVariables;
  /** Requests a second: `MAX_RPS`, or the part of a shard. Default for the embedded mock: infinite. */
  maxRps: number;
  /** Causes besides violations for a run not to pass. `-unjudged` removes the default `unjudged`. */
  failOn: readonly ('undeclared' | 'server-errors' | 'drift' | 'unjudged' | '-unjudged')[];
  /** Minimum percentage of schema nodes, such as fields, that a run must judge to pass, except for a shard. */
  minCoverage: number;
  reportsDir: string;
  probes: boolean;
  fuzzRequests: number;
  /** Undefined if each run draws its own seed. */
  fuzzSeed: number | undefined;
  recordsAnswers: boolean;
  /** Absolute path of a file such as `observed/staging.json`, in which `PROBES=record` stores the answers to open questions. */
  answersFile: string;
  /** Ledger of `LEDGER_FILE`. Reports show `name` instead of `file`. */
  extraLedger: { file: string; name: string } | undefined;
  /** Absolute path of a folder. */
  customTests: string | undefined;
  /** Customers of the list to judge: `all`, a random sample of this size, or only those on a few pages (`off`). */
  sweep: 'off' | 'all' | number;
  /** Undefined if each run draws its own seed. */
  sweepSeed: number | undefined;
  /** Unit in which `offset` counts. Undefined to infer the unit from the pages at `offset` 0 and 1. */
  sweepOffset: 'records' | 'pages' | undefined;
  /** True to continue an interrupted sweep of an earlier run. */
  resume: boolean;
  /** Variables such as `CARD_IDS` whose list needs no percent-encoding, so that a shell command can split the list with `cut`. */
  plainListVariables: readonly string[];
  /** Absolute paths, keyed by variable: `CARD_IDS` for `CARD_IDS=@cards.txt`. */
  identifierFiles: Readonly<Record<string, string>>;
  shard?: Shard | undefined;
  notices: string[];
}

/** Token server, and the client credentials to send to it (OAuth 2.0, RFC 6749 section 4.4). */
export interface TokenSettings {
  url: string;
  id: string;
  secret: string;
  scope: string | undefined;
  proxy: string | undefined;
}

interface TransportVariables {
  proxy: string | undefined;
  /** File with a certificate and its private key, in PEM or PKCS #12. */
  clientCertificate: string | undefined;
  passphrase?: string | undefined;
  allowInvalidCertificates: boolean;
}

/** Returns whether a text is `.` or `..`, which changes the path of a URL even if percent-encoded (RFC 3986 section 5.2.4). */
export const isDotSegment = (identifier: string): boolean => identifier === '.' || identifier === '..';

/** Returns whether a run has identifiers for a variable such as `CARD_IDS`: a list (configured, or of the mock), or a file. */
export const hasIdentifiers = ({ identifiers, identifierFiles }: Target, variable: string): boolean =>
  Boolean(identifiers[variable]?.length || identifierFiles[variable]);

/** Returns whether a URL holds a user or a password, which requests may send as `Authorization: Basic …` (RFC 7617). */
export function hasUserInUrl(url: string | undefined): boolean {
  if (url === undefined) return false;
  const { username, password } = new URL(url);
  return Boolean(username || password);
}
