/** Identifiers by configuration variable. */
export type Identifiers = Readonly<Record<string, readonly string[]>>;

/** One of the shards among which a run is divided, numbered from 1. */
export interface Shard {
  current: number;
  total: number;
}

/** Requests of a run that may wait for a response at the same time. */
export const maxConcurrency = 4;

/** What a response may take. */
export interface Limits {
  timeoutMs: number;
  /** Of a body, decompressed. A longer one is not judged. */
  maxBodyBytes: number;
}

/** Configuration of a run: which provider is under test, and how (docs/configuration.md). */
export interface Target extends Limits {
  name: string;
  /** Whether the embedded mock is started. */
  isMock: boolean;
  /** Undefined for the embedded mock, and for recorded traffic of any address. */
  baseUrl: string | undefined;
  /** Files of recorded traffic to judge, `-` for standard input; undefined where the target is asked. */
  traffic: string[] | undefined;
  /** What to look up, by the variable that the contract names for it (`x-identifiers`). */
  identifiers: Identifiers;
  profile: 'observed' | 'documented';
  headers: Record<string, string>;
  /** In which headers each request has an id. */
  requestId: 'traceparent' | 'x-request-id' | 'off';
  /** Where the token of each request comes from, where it has one. */
  token: TokenSettings | undefined;
  /** Path of the module that signs requests. */
  authModule: string | undefined;
  transport: Transport;
  /** Requests a second. */
  maxRps: number;
  /** Pages of each list that are followed. */
  maxPages: number;
  /** What makes a run fail besides the contract. */
  failOn: readonly ('undeclared' | 'server-errors' | 'drift' | 'unjudged' | '-unjudged')[];
  /** Percentage of schema nodes. */
  minCoverage: number;
  /** Absolute path. */
  reportsDir: string;
  /** Whether what the contract leaves open is asked. */
  probes: boolean;
  fuzzRequests: number;
  /** Without it a new one is drawn. */
  fuzzSeed: number | undefined;
  /** Whether the observed behaviour is recorded, rather than compared. */
  record: boolean;
  /** Absolute path. */
  recordFile: string;
  /** The ledger of the caller, by its absolute path and as it is shown; undefined where there is none but `spec/ledger.yaml`. */
  callersLedger: { file: string; name: string } | undefined;
  /** Folder of the team's own tests, absolute. */
  customTests: string;
  /** Whether all records of a list are judged, or so many at random. */
  sweep: 'off' | 'all' | number;
  /** Without it a new one is drawn. */
  sweepSeed: number | undefined;
  /** What `offset` counts; undefined where that is found out. */
  sweepOffset: 'records' | 'pages' | undefined;
  /** Whether a sweep goes on that an earlier run has left. */
  resume: boolean;
  /** Variables whose text is a list of plain words, each after a comma: blanks, empty parts or other characters make it no such list. */
  plainLists: readonly string[];
  /** Absolute paths of files of more identifiers, by the variable of identifiers. */
  identifierFiles: Readonly<Record<string, string>>;
  /** Set where a sweep, or recorded traffic, is divided (`--shard`). */
  shard?: Shard | undefined;
  /** Sentences on the configuration that every run repeats: it works, but may not be what was meant. */
  notices: string[];
}

/** A token server, and what is sent to it (OAuth 2.0 client credentials, RFC 6749 section 4.4). */
export interface TokenSettings {
  url: string;
  id: string;
  secret: string;
  scope: string | undefined;
  proxy: string | undefined;
}

/** How a target is reached: proxy, client certificate, and whether any certificate of the target is accepted. */
interface Transport {
  proxy: string | undefined;
  /** Path of a file in PEM or PKCS #12 that holds a certificate and its key. */
  clientCertificate: string | undefined;
  /** Passphrase of that key. */
  passphrase?: string | undefined;
  allowInvalidCertificates: boolean;
}

/** Whether an address cannot hold an identifier as a step of its path: these name another path there, however they are encoded. */
export const isOtherPath = (identifier: string): boolean => identifier === '.' || identifier === '..';

/** Checks that a variable such as `CARD_IDS` holds identifiers, or the name of a file of identifiers. */
export const hasIdentifiers = ({ identifiers, identifierFiles }: Target, variable: string): boolean =>
  Boolean(identifiers[variable]?.length || identifierFiles[variable]);
