import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Alter } from '../../../mock/server.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import type { Environment } from '../harness/whole-run.ts';
import { variants } from '../proof/variants/index.ts';
import { inTurn } from '../proof/variants/variant.ts';
import { closedPort } from '../runs/hostile.ts';
import type { Canaries } from './canaries.ts';
import { type Common, fileOf } from './canary-run.ts';
import {
  bearing,
  breachCount,
  breaking,
  contradicting,
  contradictions,
  echoing,
  echoingRejection,
  hostile,
  knowing,
  provider,
  unanswered,
  whispering,
  wreckedRecord,
} from './canary-target.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * One violation, since Playwright replaces its worker after each failed test and all of them are written alike, and
 * deviations, which are reported by a test that passes.
 */
const few = ['--grep', '@getCard/data/card/(status|limits/\\*/(status|period))$'];

/**
 * The configuration of the suite with every other reporter of Playwright beside its own. Options keep out of JSON, since
 * the one that writes JSON prints those of all others, and is never beside Allure otherwise.
 */
function withAllReporters(): string[] {
  const others = ['list', 'dot', 'json', 'junit', 'html', 'blob'].map((name) => [name]);
  const text = `
    import path from 'node:path';
    import config from ${JSON.stringify(path.join(root, 'playwright.config.ts'))};
    const from = (name) => name.startsWith('.') || name.includes('/') ? path.resolve(${JSON.stringify(root)}, name) : name;
    const own = config.reporter.map(([name, options]) => [from(name), { ...options, toJSON: () => ({}) }]);
    export default {
      ...config,
      testDir: from(config.testDir),
      globalSetup: from(config.globalSetup),
      reporter: [...own, ...${JSON.stringify(others)}],
    };`;
  return ['--config', fileOf('all-reporters.config.mjs', text)];
}

/** Every logger of Playwright and Node that a variable turns on; `--debug` is the option for another. */
const loggers = { DEBUG: '*', NODE_DEBUG: 'HTTP,child_process' };

/** Variables that hold secrets, and are wrong. */
const wrong = ({ BASE_URL, API_HEADERS }: Common, canaries: Canaries): Environment => ({
  BASE_URL: `${BASE_URL}?key=${canaries.of('key in the address')}`,
  API_HEADERS: API_HEADERS.slice(0, -1),
  PROFILE: canaries.of('profile'),
  MAX_RPS: canaries.of('pages'),
});

/** A module that signs with what it finds in the environment. */
const signer = `import { env } from 'node:process'; export default () => ({ 'x-signature': env.SIGNATURE });`;

/** Secrets of letters alone, by every way to configure one; the names of target and folder hold one too. */
export function whispered({ BASE_URL, API_HEADERS, REPORTS_DIR }: Common, canaries: Canaries): Environment {
  const key = canaries.phrase('API key in words');
  const password = canaries.phrase('password in words');
  const signature = canaries.phrase('signature in words');
  return {
    BASE_URL: BASE_URL.replace(/@/, `${password}@`),
    API_HEADERS: JSON.stringify({
      ...JSON.parse(API_HEADERS),
      'X-Other-Key': key.replace('-', ' '),
      Authorization: `Basic ${Buffer.from(`user:${password}`).toString('base64')}`,
      Cookie: `a=${canaries.of('own cookie')}; session=${canaries.phrase('own cookie in words')}`,
    }),
    AUTH_MODULE: fileOf('sign.mjs', signer),
    SIGNATURE: signature,
    TARGET_NAME: `staging-${key}`,
    REPORTS_DIR: path.join(REPORTS_DIR, key),
    PROBES: 'record',
  };
}

/** What the target does, unless it knows everything, and what a run is given besides what every run is given. */
export interface CanaryStep {
  alter?(canaries: Canaries): Alter;
  env?(common: Common, canaries: Canaries): Environment | Promise<Environment>;
  /**
   * Options of a run in a process of its own, with every reporter unless they say otherwise: for each writer, and for
   * what Playwright or Node itself may print. Other kinds run in this process.
   */
  args?(): string[];
  /** Selects requirements of a run in this process. */
  grep?: RegExp;
}

/** A kind of run, and how it ends. What is rendered of one is searched in `shards.spec.ts` and `pages-allure.spec.ts`. */
export interface CanaryKind extends CanaryStep {
  verdict: Conformance['verdict'];
  /** What one of its notes says. */
  says?: RegExp;
  /** What the terminal does not say. */
  unsaid?: RegExp;
  /** Whether a reporter leaves archives. */
  archives?: true;
  /** How many requirements it finds broken. */
  violations?: number;
  /** A run before it, into the same folder. */
  earlier?: CanaryStep;
  finish?(reportsDir: string): void;
}

const renamed = variants.flatMap(({ name, alter }) => (/p_user_id, and/.test(name) && alter ? [alter] : []));

/** Variables with which no run begins. */
const rejected = (env: Environment): CanaryKind => ({
  env: () => env,
  verdict: 'error',
  says: /would print addresses and headers unredacted: unset it/,
});

/** A module that cannot sign. */
const signing = (text: string): CanaryKind => ({
  env: () => ({ AUTH_MODULE: fileOf('wrong.mjs', `import { env, exit } from 'node:process';\n${text}`) }),
  verdict: 'error',
});

const asked = (body: string) => `export default async (request) => { ${body} };`;
/** An error that holds all that a module was given and found. */
const error = 'Object.assign(new Error(JSON.stringify([request, env])), request, env)';

export const kinds: Record<string, CanaryKind> = {
  green: { verdict: 'pass' },
  red: { alter: breaking, verdict: 'fail', violations: breachCount },
  'red by answers that contradict each other': {
    alter: contradicting,
    verdict: 'fail',
    violations: contradictions,
  },
  'red in every field, and judged in part': {
    alter: (canaries) => provider(wreckedRecord(canaries)),
    grep: /getCard\/data\/card\/(id|type)/,
    verdict: 'fail',
  },
  'red by what is documented': {
    alter: (canaries) => inTurn(knowing(canaries), ...renamed),
    env: () => ({ PROFILE: 'documented' }),
    verdict: 'fail',
  },
  'red by what is undeclared': { env: () => ({ FAIL_ON: 'undeclared' }), verdict: 'fail' },
  'red by secrets that read like words, with traces and every reporter, annotated, and recorded under a name that holds one':
    {
      alter: whispering,
      env: (...of) => ({ ...whispered(...of), GITHUB_ACTIONS: 'true' }),
      args: () => ['--trace', 'on', ...withAllReporters(), ...few],
      verdict: 'fail',
      // No test failed for another reason than its requirement.
      unsaid: /^ +at |TypeError/m,
      violations: 1,
      archives: true,
    },
  'rejected, and signed anew': { alter: echoingRejection(401), verdict: 'error' },
  'out of order': { alter: echoingRejection(500), verdict: 'error' },
  'redirected, broken and cut short': { alter: hostile, verdict: 'fail' },
  'nobody there': {
    env: async ({ BASE_URL }) => ({
      BASE_URL: BASE_URL.replace(/@[^/]*/, `@${new URL(await closedPort()).host}`),
    }),
    verdict: 'error',
  },
  'out of time': {
    alter: unanswered,
    args: () => ['--global-timeout=2000'],
    verdict: 'error',
    says: /Timed out waiting 2s/,
    unsaid: /AUTH_MODULE/,
  },
  'signed with a token': {
    alter: bearing,
    env: ({ BASE_URL }) => ({
      AUTH_MODULE: '',
      // The user of the address would be another credential.
      BASE_URL: BASE_URL.replace(/\/\/.*@/, '//'),
      TOKEN_SCOPE: BASE_URL,
      TOKEN_URL: `${BASE_URL.replace(/\/\/.*@/, '//')}/token`,
    }),
    verdict: 'pass',
  },
  'signing fails': signing(asked(`throw ${error};`)),
  'probes are rejected': { alter: echoing(404), env: () => ({ PROBES: 'on' }), verdict: 'pass' },
  'probes and fuzzing find server errors': {
    alter: echoing(500),
    env: () => ({ PROBES: '40', FAIL_ON: 'server-errors' }),
    verdict: 'fail',
  },
  'behaviour was recorded, and drifts': {
    earlier: { alter: echoing(404), env: () => ({ PROBES: 'record' }) },
    alter: echoing(410),
    env: () => ({ PROBES: 'on', FAIL_ON: 'drift' }),
    verdict: 'fail',
  },
  'a password that is not escaped': {
    env: ({ BASE_URL }) => ({ BASE_URL: BASE_URL.replace('@', '%@') }),
    verdict: 'error',
  },
  'every logger at once, and configured wrongly': {
    env: (common, canaries) => ({ HTTP_PROXY: common.HTTPS_PROXY, ...loggers, ...wrong(common, canaries) }),
    args: () => ['--debug'],
    verdict: 'error',
    says: /PWDEBUG would print/,
  },
  'DEBUG=pw:api': rejected({ DEBUG: 'pw:api' }),
  'DEBUG=https-proxy-agent': {
    env: ({ HTTPS_PROXY }) => ({ HTTP_PROXY: HTTPS_PROXY, DEBUG: 'https-proxy-agent' }),
    verdict: 'error',
  },
  'NODE_DEBUG=child_process': rejected({ NODE_DEBUG: 'child_process' }),
};
