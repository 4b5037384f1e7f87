/** Identifiers, keyed by configuration variable: `{ CARD_IDS: ['…'], USER_IDS: [] }`. */
export type Identifiers = Readonly<Record<string, readonly string[]>>;

/** Shard of a run, as `--shard=2/3` sets it. */
export interface Shard {
  /** Number of the shard, from 1. */
  current: number;
  /** Number of shards. */
  total: number;
}

/** Maximum number of requests of a run that wait for a response at the same time. */
export const maxConcurrency = 4;

/** Limits of a response. */
export interface Limits {
  /** Milliseconds until the end of the body. */
  timeoutMs: number;
  /** Maximum size of a decompressed body. A longer body is not judged. */
  maxBodyBytes: number;
}

/** Settings of a run, from its configuration variables: the provider under test, and how it is tested (docs/configuration.md). */
export interface Target extends Limits {
  /** `TARGET_NAME`, or the host of `baseUrl` by default. */
  name: string;
  /** True for the embedded mock. */
  isMock: boolean;
  /** Address without a trailing slash; undefined for the embedded mock, and for recorded traffic of any address. */
  baseUrl: string | undefined;
  /** Files of recorded traffic to judge, `-` for standard input; undefined if the run sends requests. */
  traffic: string[] | undefined;
  /** Identifiers to look up, keyed by the variable that the contract names (`x-identifiers`). */
  identifiers: Identifiers;
  /** `observed` tolerates the deviations that ledgers list; `documented` tolerates none. */
  profile: 'observed' | 'documented';
  /** Headers of `API_HEADERS`, which may be secret. */
  headers: Record<string, string>;
  /** Header that carries the id of each request. */
  requestId: 'traceparent' | 'x-request-id' | 'off';
  /** Token server; undefined if requests have no token. */
  token: TokenSettings | undefined;
  /** Path of the module that signs requests; undefined if requests are not signed. */
  authModule: string | undefined;
  transport: Transport;
  /** Maximum number of requests a second; infinite for the embedded mock. */
  maxRps: number;
  /** Further reasons for a run to fail, besides violations of the contract (`FAIL_ON`). */
  failOn: readonly ('undeclared' | 'server-errors' | 'drift' | 'unjudged' | '-unjudged')[];
  /** Percentage of schema nodes that a run must exercise, from 0 to 100. */
  minCoverage: number;
  /** Absolute path of the folder for all reports. */
  reportsDir: string;
  /** True if a run sends probes for the questions that the contract leaves open. */
  probes: boolean;
  /** Number of random requests to send (`PROBES=200`). */
  fuzzRequests: number;
  /** Seed of the random requests; drawn for each run if undefined. */
  fuzzSeed: number | undefined;
  /** True if a run writes the answers to open questions to `recordFile` (`PROBES=record`). */
  record: boolean;
  /** Absolute path of the file with recorded answers, `observed/<name>.json`. */
  recordFile: string;
  /** Ledger of the caller, by absolute path and by the name to show; undefined if only `spec/ledger.yaml` applies. */
  callersLedger: { file: string; name: string } | undefined;
  /** Absolute path of the folder with the tests of the team; undefined if there is none. */
  customTests: string | undefined;
  /** Records of a list that a sweep judges (`SWEEP`): all, or a random sample of this size. */
  sweep: 'off' | 'all' | number;
  /** Seed of the sample; drawn for each run if undefined. */
  sweepSeed: number | undefined;
  /** Unit of `offset`; undefined if the sweep infers the unit from the first pages. */
  sweepOffset: 'records' | 'pages' | undefined;
  /** True if a run continues the interrupted sweep of an earlier run (`RESUME=1`). */
  resume: boolean;
  /** Identifier variables such as `CARD_IDS` whose text is a plain comma-separated list, so that a shell command can split it. */
  plainLists: readonly string[];
  /** Absolute paths of files with more identifiers, keyed by configuration variable. */
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
  scope: string | undefined;
  proxy: string | undefined;
}

/** Settings of the connection to a target. */
interface Transport {
  /** Address of the proxy; undefined if requests go to the target directly. */
  proxy: string | undefined;
  /** Path of a file in PEM or PKCS #12 that holds a certificate and its key. */
  clientCertificate: string | undefined;
  passphrase?: string | undefined;
  /** True if any certificate of the target is accepted. */
  allowInvalidCertificates: boolean;
}

/** Returns whether an identifier is `.` or `..`: as a URL segment, even encoded, it names another path (RFC 3986 section 5.2.4). */
export const isOtherPath = (identifier: string): boolean => identifier === '.' || identifier === '..';

/** Returns whether a variable such as `CARD_IDS` is set, to identifiers or to a file of identifiers (`@cards.txt`). */
export const hasIdentifiers = ({ identifiers, identifierFiles }: Target, variable: string): boolean =>
  Boolean(identifiers[variable]?.length || identifierFiles[variable]);
