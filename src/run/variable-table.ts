/** Configuration variable, from which documentation, `.env.example`, `action.yml`, workflow and reader are derived. */
export interface Variable {
  meaning: string;
  example: string;
  default?: string | number;
  /** Default for the embedded mock, if it differs. */
  mock?: string | number;
  /** Accepted values, the default first. */
  choices?: readonly string[];
  /** Accepted words of a list that is separated by commas. */
  listOf?: readonly string[];
  min?: number;
  max?: number;
  /** Source of the variable in the nightly workflow. A secret is never shown. */
  workflow?: 'vars' | 'secrets' | 'inputs';
}

const flag = { choices: ['0', '1'], example: '1' } as const;
/** All variables, except those of identifiers, which the contract names (`identifier-variables.ts`). */
export const variableTable = {
  BASE_URL: {
    meaning: 'base address of the target, which may end in a path; `mock` is the embedded mock',
    default: 'the embedded mock; none where `CI` is set',
    example: 'https://api.example.com/gateway',
    workflow: 'vars',
  },
  TARGET_NAME: {
    meaning: 'name of the target in reports and ledgers',
    default: 'the host, or `recorded traffic`',
    mock: '`mock`',
    example: 'staging',
  },
  LEDGER_FILE: {
    meaning:
      'ledger of your own, whose entries count beside those of `spec/ledger.yaml`; `npm run accept` writes there',
    default: 'none',
    example: './conformance/ledger.yaml',
  },
  CUSTOM_TESTS: {
    meaning: "folder of a team's own Playwright tests, which count as well",
    default: '`tests/custom` of the suite',
    example: './conformance/tests',
  },
  PROFILE: {
    meaning: '`observed` tolerates what the contract says was observed; `documented` tolerates nothing',
    choices: ['observed', 'documented'],
    example: 'documented',
    workflow: 'inputs',
  },
  API_HEADERS: {
    meaning: 'JSON object of headers that are sent with each request',
    example: `'{"X-Api-Key":"…"}'`,
    workflow: 'secrets',
  },
  TOKEN_URL: {
    meaning:
      'address of a token server: each request has a token of it (OAuth 2.0 client credentials); needs `CLIENT_ID` and `CLIENT_SECRET`',
    example: 'https://login.example.com/oauth2/token',
    workflow: 'vars',
  },
  CLIENT_ID: { meaning: 'client that tokens are issued to', example: '', workflow: 'secrets' },
  CLIENT_SECRET: { meaning: 'secret of that client', example: '', workflow: 'secrets' },
  TOKEN_SCOPE: {
    meaning: 'scopes of the token, separated by blanks',
    example: 'lookup.read',
    workflow: 'vars',
  },
  AUTH_MODULE: {
    meaning: 'path of a module that signs each request (docs/configuration.md, Signing)',
    example: './sign.mjs',
    workflow: 'vars',
  },
  REQUEST_ID: {
    meaning:
      'header by which a provider finds each request in its log: `traceparent`; `x-request-id` sends that one as well, `off` sends neither',
    choices: ['traceparent', 'x-request-id', 'off'],
    example: 'x-request-id',
  },
  CLIENT_CERT: {
    meaning: 'file of the client certificate with its private key, in PEM or PKCS #12 (`.p12`, `.pfx`)',
    example: './client.pem',
  },
  CLIENT_CERT_PASSPHRASE: {
    meaning: 'passphrase of the private key in `CLIENT_CERT`',
    example: '',
  },
  ALLOW_INVALID_CERTIFICATES: {
    ...flag,
    meaning: '`1` accepts any certificate of the target: self-signed, expired, or of another host',
  },
  HTTP_PROXY: { meaning: 'proxy for `http://` targets', example: 'http://proxy.example.com:3128' },
  HTTPS_PROXY: { meaning: 'proxy for `https://` targets', example: 'http://proxy.example.com:3128' },
  NO_PROXY: {
    meaning: 'hosts and domains to reach without a proxy, separated by commas; `*` for all',
    example: 'localhost,.example.com',
  },
  REQUEST_TIMEOUT_MS: {
    meaning: 'milliseconds for one request, body included',
    default: 10_000,
    min: 1,
    // Node's longest timer.
    max: 2 ** 31 - 1,
    example: '20000',
  },
  MAX_BODY_MB: {
    meaning: 'MiB of a response body that are read, after decompression; a longer body is not judged',
    default: 8,
    min: 0.001,
    // V8's longest string.
    max: 500,
    example: '32',
  },
  MAX_RPS: {
    meaning: 'maximum of requests a second of a run; each shard is one',
    default: 10,
    mock: 'no limit',
    min: 0.01,
    example: '5',
    workflow: 'vars',
  },
  SWEEP: {
    meaning:
      '`all` judges every customer of the list; a number judges that many at random, the same ones with a seed behind it, `5000:42` (docs/sweep.md)',
    default: '`off`',
    example: 'all',
  },
  SWEEP_OFFSET: {
    meaning: 'what `offset` of the customers list counts',
    choices: ['records', 'pages'],
    default: 'found out by the pages at `offset` 0 and 1',
    example: 'pages',
  },
  RESUME: { ...flag, meaning: '`1`: go on with the sweep that an earlier run has left in `REPORTS_DIR`' },
  FAIL_ON: {
    meaning:
      'what makes a run fail as well, separated by commas: `undeclared` fields; `server-errors` on bad input, with `PROBES`; `drift` from what `PROBES=record` has written; `unjudged`, an operation without a judged response, or a requirement that only an earlier run judged; `-unjudged` accepts both',
    default: '`unjudged`; none with `TRAFFIC`',
    listOf: ['undeclared', 'server-errors', 'drift', 'unjudged', '-unjudged'],
    example: 'undeclared,drift',
  },
  MIN_COVERAGE: {
    meaning: 'percentage of schema nodes that a run must exercise',
    default: 0,
    mock: 100,
    min: 0,
    max: 100,
    example: '80',
    workflow: 'vars',
  },
  REPORTS_DIR: {
    meaning: 'folder for everything generated',
    default: '`reports/out`',
    example: 'out',
  },
  PROBES: {
    meaning:
      '`on` asks what the contract leaves open; `record` also writes the answers to `observed/<TARGET_NAME>.json`, a file to commit; a number also sends that many requests with arbitrary parameters, the same ones with a seed behind it, `200:42`',
    default: '`off`',
    mock: '`on`',
    example: 'on',
  },
  TRAFFIC: {
    meaning:
      'recorded traffic to judge in place of a target (docs/recorded-traffic.md): files, or patterns such as `*.har`, separated by commas; `-` is standard input',
    example: 'session.har,more/*.har',
  },
} as const satisfies Record<string, Variable>;

/** Environment variables of a process, or of a test in place of them. */
export type Environment = Record<string, string | undefined>;

type Table = typeof variableTable;
/** Name of a variable. */
export type VariableName = keyof Table;
type NamesWith<Key extends keyof Variable> = {
  [Name in VariableName]: Table[Name] extends Record<Key, unknown> ? Name : never;
}[VariableName];

/** Name of a variable that has choices. */
export type ChoiceName = NamesWith<'choices'>;
/** The choices of a variable. */
export type ChoiceOf<Name extends ChoiceName> = Table[Name]['choices'][number];
/** Name of a variable that is a number. */
export type NumberName = NamesWith<'min'>;
/** Name of a variable that is `0` or `1`. */
export type FlagName = { [Name in ChoiceName]: ChoiceOf<Name> extends '0' | '1' ? Name : never }[ChoiceName];
