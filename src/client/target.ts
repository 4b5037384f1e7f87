/** Identifiers, keyed by configuration variable: `{ CARD_IDS: ['…'], USER_IDS: [] }`. */
export type Identifiers = Readonly<Record<string, readonly string[]>>;

/** Shard of a run, as `--shard=2/3` sets it. */
export interface Shard {
  /** Number of this shard, from 1. */
  current: number;
  total: number;
}

/** Maximum number of requests of a run that wait for a response at the same time. */
export const maxConcurrency = 4;

export interface Limits {
  /** Maximum number of milliseconds from sending a request to the end of the response's body. */
  timeoutMs: number;
  /** Maximum number of bytes of a decompressed body. A longer body is not judged. */
  maxBodyBytes: number;
}

/** Settings of a run, from its configuration variables: the provider under test, and how it is tested (docs/configuration.md). */
export interface Target extends Limits {
  /** Name of the target: `TARGET_NAME`, or else the host of `baseUrl`. */
  name: string;
  /** True if the run tests the embedded mock, not a provider. */
  isMock: boolean;
  /** Base address without a trailing slash; undefined for the embedded mock, and for recorded traffic of any address. */
  baseUrl: string | undefined;
  /** Files of recorded traffic to judge, `-` for standard input; undefined if the run sends requests. */
  traffic: string[] | undefined;
  /** Identifiers to look up, keyed by the variable that the contract names (`x-identifiers`), such as `CARD_IDS`. */
  identifiers: Identifiers;
  /** Strictness of the verdict: `observed` tolerates the deviations that ledgers list, `documented` tolerates none. */
  profile: 'observed' | 'documented';
  /** Headers of `API_HEADERS`, which may be secret. */
  headers: Record<string, string>;
  /** Header that carries the trace id of each request; `x-request-id` is sent besides `traceparent`. */
  requestId: 'traceparent' | 'x-request-id' | 'off';
  token: TokenSettings | undefined;
  /** Path of the module (`AUTH_MODULE`) that signs requests; undefined if requests are not signed. */
  authModule: string | undefined;
  transport: Transport;
  /** Maximum number of requests a second; infinite for the embedded mock. */
  maxRps: number;
  /** Further reasons for a run to fail, besides violations of the contract (`FAIL_ON`). */
  failOn: readonly ('undeclared' | 'server-errors' | 'drift' | 'unjudged' | '-unjudged')[];
  /** Percentage of schema nodes, 0 to 100, that responses must contain, or else the run fails (`MIN_COVERAGE`). */
  minCoverage: number;
  /** Absolute path of the folder for all reports. */
  reportsDir: string;
  /** True if a run sends probes, requests whose responses answer what the contract leaves open (`PROBES`). */
  probes: boolean;
  /** Number of random requests to send (`PROBES=200`). */
  fuzzRequests: number;
  /** Seed of the random requests (`PROBES`); undefined if each run draws its own. */
  fuzzSeed: number | undefined;
  /** True if a run writes the answers to open questions to `recordFile` (`PROBES=record`). */
  record: boolean;
  /** Absolute path of the file with recorded answers, `observed/<name>.json`. */
  recordFile: string;
  /** Ledger of the caller (`LEDGER_FILE`): absolute path, and name to show; undefined if only `spec/ledger.yaml` applies. */
  callersLedger: { file: string; name: string } | undefined;
  /** Absolute path of the folder with the caller's own tests; undefined if there is none. */
  customTests: string | undefined;
  /** Records of a list that a sweep judges (`SWEEP`): all, or a random sample of this number of records. */
  sweep: 'off' | 'all' | number;
  /** Seed of the random sample of a sweep; undefined if each run draws its own. */
  sweepSeed: number | undefined;
  /** Unit in which a sweep counts `offset`; undefined if the sweep infers the unit from the first pages. */
  sweepOffset: 'records' | 'pages' | undefined;
  /** True if a run continues the interrupted sweep of an earlier run (`RESUME=1`). */
  resume: boolean;
  /** Identifier variables such as `CARD_IDS` whose text is a plain comma-separated list, so that a shell command can split it. */
  plainLists: readonly string[];
  /** Absolute paths of files with identifiers, keyed by the variable that names the file, as in `CARD_IDS=@cards.txt`. */
  identifierFiles: Readonly<Record<string, string>>;
  /** Shard of a sweep or of recorded traffic (`--shard`); undefined for a whole run. */
  shard?: Shard | undefined;
  /** Sentences about likely mistakes that stop no run, such as a misspelt variable in the environment. Each run prints them. */
  notices: string[];
}

/** Token server, and the credentials to send (OAuth 2.0 client credentials, RFC 6749 section 4.4). */
export interface TokenSettings {
  url: string;
  id: string;
  secret: string;
  /** `TOKEN_SCOPE`; undefined if no scope is requested. */
  scope: string | undefined;
  proxy: string | undefined;
}

/** Proxy and TLS settings of the connection to a target. */
interface Transport {
  /** Address of the proxy to the target; undefined if requests go to the target directly. */
  proxy: string | undefined;
  /** File with a certificate and its key (`CLIENT_CERT`), in PEM or PKCS #12; undefined if the client sends none. */
  clientCertificate: string | undefined;
  passphrase?: string | undefined;
  /** True if any certificate of the target is accepted, such as an expired or self-signed one. */
  allowInvalidCertificates: boolean;
}

/** Returns whether an identifier is `.` or `..`: as a URL segment, even encoded, it names another path (RFC 3986 section 5.2.4). */
export const isDotSegment = (identifier: string): boolean => identifier === '.' || identifier === '..';

/** Returns whether a variable such as `CARD_IDS` is set, to identifiers or to a file of identifiers (`@cards.txt`). */
export const hasIdentifiers = ({ identifiers, identifierFiles }: Target, variable: string): boolean =>
  Boolean(identifiers[variable]?.length || identifierFiles[variable]);
