/** Identifiers, keyed by configuration variable. */
export type Identifiers = Readonly<Record<string, readonly string[]>>;

/** Shard of a run, numbered from 1. */
export interface Shard {
  current: number;
  total: number;
}

/** Maximum number of requests of a run that wait for a response at the same time. */
export const maxConcurrency = 4;

/** Limits of a response. */
export interface Limits {
  timeoutMs: number;
  /** Maximum size of a decompressed body. A longer body is not judged. */
  maxBodyBytes: number;
}

/** Configuration of a run: the provider under test, and how it is tested (docs/configuration.md). */
export interface Target extends Limits {
  name: string;
  /** True for the embedded mock. */
  isMock: boolean;
  /** Undefined for the embedded mock, and for recorded traffic of any address. */
  baseUrl: string | undefined;
  /** Files of recorded traffic to judge, `-` for standard input; undefined if the run sends requests. */
  traffic: string[] | undefined;
  /** Identifiers to look up, keyed by the variable that the contract names (`x-identifiers`). */
  identifiers: Identifiers;
  profile: 'observed' | 'documented';
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
  /** Gates that make a run fail beside the contract. */
  failOn: readonly ('undeclared' | 'server-errors' | 'drift' | 'unjudged' | '-unjudged')[];
  /** Percentage of schema nodes that a run must exercise. */
  minCoverage: number;
  /** Absolute path. */
  reportsDir: string;
  /** True if a run sends probes for the questions that the contract leaves open. */
  probes: boolean;
  fuzzRequests: number;
  /** Seed of the random requests; drawn for each run if undefined. */
  fuzzSeed: number | undefined;
  /** True if a run records the observed behaviour instead of comparing it. */
  record: boolean;
  /** Absolute path. */
  recordFile: string;
  /** Ledger of the caller, by absolute path and by the name to show; undefined if only `spec/ledger.yaml` applies. */
  callersLedger: { file: string; name: string } | undefined;
  /** Absolute path of the folder with the tests of the team. */
  customTests: string;
  /** Records of a list that a sweep judges: all, or a number of random records. */
  sweep: 'off' | 'all' | number;
  /** Seed of the sample; drawn for each run if undefined. */
  sweepSeed: number | undefined;
  /** Unit of `offset`; undefined if the sweep infers the unit from the first pages. */
  sweepOffset: 'records' | 'pages' | undefined;
  /** True if a run continues the sweep that an earlier run has left. */
  resume: boolean;
  /** Variables whose text is a comma-separated list of plain words, without blanks, empty parts or other characters. */
  plainLists: readonly string[];
  /** Absolute paths of files with more identifiers, keyed by configuration variable. */
  identifierFiles: Readonly<Record<string, string>>;
  /** Shard of a sweep or of recorded traffic (`--shard`); undefined for a whole run. */
  shard?: Shard | undefined;
  /** Sentences about settings that work, but may be mistakes. Every run repeats them. */
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
  proxy: string | undefined;
  /** Path of a file in PEM or PKCS #12 that holds a certificate and its key. */
  clientCertificate: string | undefined;
  passphrase?: string | undefined;
  /** True if any certificate of the target is accepted. */
  allowInvalidCertificates: boolean;
}

/** Returns whether an identifier names another path as a URL segment, even if it is percent-encoded (RFC 3986 section 5.2.4). */
export const isOtherPath = (identifier: string): boolean => identifier === '.' || identifier === '..';

/** Checks that a variable such as `CARD_IDS` holds identifiers, or the name of a file of identifiers. */
export const hasIdentifiers = ({ identifiers, identifierFiles }: Target, variable: string): boolean =>
  Boolean(identifiers[variable]?.length || identifierFiles[variable]);
