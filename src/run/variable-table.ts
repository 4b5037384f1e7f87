/** Definition of an environment variable, from which documentation and `.env.example` are derived. */
export interface Variable {
  meaning: string;
  example: string;
  /** Default value, such as `10`. May also be a description of the default, such as `none`. */
  default?: string | number;
  /** Default for the embedded mock, if it differs from `default`. */
  mock?: string | number;
  /** Accepted values. The first value is the default if `default` is not set. */
  choices?: readonly string[];
  listOf?: readonly string[];
  min?: number;
  max?: number;
  /** GitHub Actions context of the value in the nightly workflow, such as `secrets`. */
  workflow?: 'vars' | 'secrets' | 'inputs';
}

const flag = { choices: ['0', '1'], example: '1' } as const;

/** All configuration variables. Variables for identifiers, such as `CARD_IDS`, are missing, because the contract names them. */
export const variableTable = {
  BASE_URL: {
    meaning: 'base address of the target, which may end in a path; `mock` is the embedded mock',
    default: 'the embedded mock; none if `CI` is set',
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
      'file of your own ledger, whose entries count beside those of `spec/ledger.yaml`; `npm run accept` writes there',
    default: 'none',
    example: './conformance/ledger.yaml',
  },
  CUSTOM_TESTS: {
    meaning: 'folder of your own Playwright tests; if one fails, the run does not pass',
    default: '`tests/custom`; none if called from another folder, as the action is',
    example: './conformance/tests',
  },
  PROFILE: {
    meaning: '`observed` tolerates the deviations of the ledgers; `documented` tolerates none',
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
      'address of the token server that issues the `Authorization` of each request (OAuth 2.0 client credentials); needs `CLIENT_ID` and `CLIENT_SECRET`',
    example: 'https://login.example.com/oauth2/token',
    workflow: 'vars',
  },
  CLIENT_ID: { meaning: 'client id for `TOKEN_URL`', example: '', workflow: 'secrets' },
  CLIENT_SECRET: { meaning: 'client secret for `TOKEN_URL`', example: '', workflow: 'secrets' },
  TOKEN_SCOPE: {
    meaning: 'scopes of the token, separated by spaces',
    example: 'lookup.read',
    workflow: 'vars',
  },
  AUTH_MODULE: {
    meaning: 'path of the module that signs each request (docs/configuration.md, Signing)',
    example: './sign.mjs',
    workflow: 'vars',
  },
  REQUEST_ID: {
    meaning:
      'header that identifies each request in the log of the provider: `traceparent`; `x-request-id` sends both headers, `off` sends none',
    choices: ['traceparent', 'x-request-id', 'off'],
    example: 'x-request-id',
  },
  CLIENT_CERT: {
    meaning: 'file with client certificate and private key, in PEM or PKCS #12 (`.p12`, `.pfx`)',
    example: './client.pem',
  },
  CLIENT_CERT_PASSPHRASE: {
    meaning: 'passphrase of the private key in `CLIENT_CERT`',
    example: '',
  },
  ALLOW_INVALID_CERTIFICATES: {
    ...flag,
    meaning: '`1` accepts any certificate of the target: self-signed, expired, or for another host',
  },
  HTTP_PROXY: { meaning: 'proxy for `http://` targets', example: 'http://proxy.example.com:3128' },
  HTTPS_PROXY: { meaning: 'proxy for `https://` targets', example: 'http://proxy.example.com:3128' },
  NO_PROXY: {
    meaning: 'hosts and domains to reach without a proxy, separated by commas; `*` for all hosts',
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
    meaning: 'maximum size of a response body in MiB, after decompression; a larger body is not judged',
    default: 8,
    min: 0.001,
    // V8's longest string.
    max: 500,
    example: '32',
  },
  MAX_RPS: {
    meaning: 'maximum number of requests a second, of all shards together',
    default: 10,
    mock: 'no limit',
    min: 0.01,
    example: '5',
    workflow: 'vars',
  },
  SWEEP: {
    meaning:
      '`all` judges every customer of the list; a number judges a random sample of that size; `5000:42` with a seed draws the same sample again (docs/sweep.md)',
    default: '`off`',
    example: 'all',
  },
  SWEEP_OFFSET: {
    meaning: 'unit of `offset` in the customers list',
    choices: ['records', 'pages'],
    default: 'detected from the pages at `offset` 0 and 1',
    example: 'pages',
  },
  RESUME: { ...flag, meaning: '`1` continues the interrupted sweep of an earlier run in `REPORTS_DIR`' },
  FAIL_ON: {
    meaning:
      'further reasons for a run to fail, separated by commas. `undeclared`: a field is not in the contract; `server-errors`: bad input causes a server error (needs `PROBES`); `drift`: an answer differs from that of `PROBES=record`; `unjudged`: an operation has no judged response, or a requirement that an earlier run judged is not judged any more; `-unjudged` removes that reason',
    default: '`unjudged`; none with `TRAFFIC`',
    listOf: ['undeclared', 'server-errors', 'drift', 'unjudged', '-unjudged'],
    example: 'undeclared,drift',
  },
  MIN_COVERAGE: {
    meaning: 'minimum percentage of schema nodes that a run must exercise',
    default: 0,
    mock: 100,
    min: 0,
    max: 100,
    example: '80',
    workflow: 'vars',
  },
  REPORTS_DIR: {
    meaning: 'folder of all reports',
    default: '`reports/out`',
    example: 'out',
  },
  PROBES: {
    meaning:
      '`on` sends probes for open questions; `record` also writes the answers to `observed/<TARGET_NAME>.json`, a file to commit; a number also sends that many random requests; `200:42` with a seed sends the same requests again',
    default: '`off`',
    mock: '`on`',
    example: 'on',
  },
  TRAFFIC: {
    meaning:
      'recorded traffic to judge instead of a target: files or patterns such as `*.har`, separated by commas; `-` is standard input (docs/recorded-traffic.md)',
    example: 'session.har,more/*.har',
  },
} as const satisfies Record<string, Variable>;

export type Environment = Record<string, string | undefined>;

type Table = typeof variableTable;
export type VariableName = keyof Table;
/** Names of the variables with the property `Key`, such as `MAX_RPS` for `min`. */
type NamesWith<Key extends keyof Variable> = {
  [Name in VariableName]: Table[Name] extends Record<Key, unknown> ? Name : never;
}[VariableName];

export type ChoiceName = NamesWith<'choices'>;
/** Union of the accepted values of a variable: `'observed' | 'documented'` for `PROFILE`. */
export type ChoiceOf<Name extends ChoiceName> = Table[Name]['choices'][number];
export type NumberName = NamesWith<'min'>;
export type FlagName = { [Name in ChoiceName]: ChoiceOf<Name> extends '0' | '1' ? Name : never }[ChoiceName];
