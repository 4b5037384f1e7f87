import type { Alter } from '../../../mock/server.ts';
import { variants } from '../../../mock/variants/index.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import type { Environment } from '../harness/whole-run.ts';
import { closedPort } from '../runs/hostile.ts';
import type { Canaries } from './canaries.ts';
import { type Common, fileOf } from './canary-run.ts';
import { few, loggers, whispered, withAllReporters, wrong } from './canary-settings.ts';
import {
  bearing,
  breaking,
  echoing,
  echoingRejection,
  hostile,
  knowing,
  unanswered,
  whispering,
  wording,
} from './canary-target.ts';
import { contradicting, contradictions } from './contradicting.ts';
import { breachCount, provider, wreckedRecord } from './marked.ts';

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
const rejected = (env: Environment): CanaryKind => ({ env: () => env, verdict: 'error' });

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
  'red by what is undeclared': { env: () => ({ UNDECLARED_FIELDS: 'fail' }), verdict: 'fail' },
  'red by what reads like words, and recorded': {
    alter: wording,
    env: () => ({ RECORD: '1' }),
    verdict: 'fail',
  },
  'a shard that is red, also by secrets that read like words, with traces and every reporter, annotated, and recorded under a name that holds one':
    {
      alter: whispering,
      env: (...of) => ({ ...whispered(...of), GITHUB_ACTIONS: 'true' }),
      args: () => ['--shard=1/1', '--trace', 'on', ...withAllReporters(), ...few],
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
      AUTH_MODULE: 'tests/client/examples/bearer-token.ts',
      TOKEN_URL: `${BASE_URL.replace(/\/\/.*@/, '//')}/token`,
    }),
    verdict: 'pass',
  },
  'signing fails': signing(asked(`throw ${error};`)),
  'signing fails when nobody can catch it': signing(asked(`Promise.reject(${error}); return {};`)),
  'signing fails before it is asked': signing(
    'Promise.reject(new Error(JSON.stringify(env))); export default () => ({});',
  ),
  'signing ends the process': signing(asked('exit(3);')),
  'probes are rejected': { alter: echoing(404), env: () => ({ PROBES: 'on' }), verdict: 'pass' },
  'probes and fuzzing find server errors': {
    alter: echoing(500),
    env: () => ({ PROBES: 'on', FUZZ_REQUESTS: '40', FAIL_ON_SERVER_ERROR: '1' }),
    verdict: 'fail',
  },
  'behaviour was recorded, and drifts': {
    earlier: { alter: echoing(404), env: () => ({ PROBES: 'on', RECORD: '1' }) },
    alter: echoing(410),
    env: () => ({ PROBES: 'on', FAIL_ON_DRIFT: '1' }),
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
  'NODE_DEBUG=HTTP': rejected({ NODE_DEBUG: 'HTTP' }),
  'NODE_DEBUG=child_process': rejected({ NODE_DEBUG: 'child_process' }),
};
