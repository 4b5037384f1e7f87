import path from 'node:path';
import type { Alter } from '../../../mock/server.ts';
import { variants } from '../../../mock/variants/index.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import type { Conformance } from '../../../reports/conformance.ts';
import { render } from '../harness/reported.ts';
import { closedPort } from '../runs/hostile.ts';
import type { Canaries } from './canaries.ts';
import { type Common, fileOf } from './canary-run.ts';
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

type Environment = Record<string, string>;

/** What the target does, unless it knows everything, and what a run is given besides what every run is given. */
export interface CanaryStep {
  alter?(canaries: Canaries): Alter;
  env?(common: Common, canaries: Canaries): Environment | Promise<Environment>;
  /**
   * Options of a run in a process of its own, with every reporter unless they say otherwise: for each writer, and for
   * what Playwright or Node itself may print. Other kinds run in this process.
   */
  args?: string[];
  /** Selects requirements of a run in this process. */
  grep?: RegExp;
}

/** A kind of run, and how it ends: without a verdict when it cannot write one. */
export interface CanaryKind extends CanaryStep {
  verdict: Conformance['verdict'] | 'none';
  /** How many requirements it finds broken. */
  violations?: number;
  /** A run before it, into the same folder. */
  earlier?: CanaryStep;
  finish?(reportsDir: string): void;
}

const renamed = variants.flatMap(({ name, alter }) => (/p_user_id, and/.test(name) && alter ? [alter] : []));

/** Variables with which no run begins. */
const rejected = (env: Environment): CanaryKind => ({ env: () => env, verdict: 'error' });

/** Playwright replaces its worker after each failed test, so three of them, of three kinds, stand for all that a reporter writes. */
const few = ['--grep', '@getCard/data/card/(title|physical_status|limits/\\*/used_amount)$'];
/** The same where secrets read like words. */
const fewWords = ['--grep', '@(getCard/data/card/(title$|limits/\\*/(status|period))|getFeeRules/http)'];

const allReporters = '--reporter=list,line,dot,json,junit,html,github,blob,./reports/reporter.ts';

/** Every logger that Playwright and Node have. */
const loggers = { DEBUG: '*', NODE_DEBUG: 'HTTP,child_process', PWDEBUG: '1' };

/** A module that cannot sign. */
const signing = (text: string): CanaryKind => ({
  env: () => ({ AUTH_MODULE: fileOf('wrong.mjs', `import { env, exit } from 'node:process';\n${text}`) }),
  verdict: 'error',
});

const asked = (body: string) => `export default async (request) => { ${body} };`;
/** An error that holds all that a module was given and found. */
const error = 'Object.assign(new Error(JSON.stringify([request, env])), request, env)';

const wrong = ({ BASE_URL, API_HEADERS }: Common, canaries: Canaries): Environment => ({
  BASE_URL: `${BASE_URL}?key=${canaries.of('key in the address')}`,
  API_HEADERS: API_HEADERS.slice(0, -1),
  PROFILE: canaries.of('profile'),
  MAX_PAGES: canaries.of('pages'),
});

/** Secrets of letters alone, by every way to configure one; the names of target and folder hold one too. */
const whispered: NonNullable<CanaryKind['env']> = ({ BASE_URL, API_HEADERS, REPORTS_DIR }, canaries) => {
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
    AUTH_MODULE: fileOf(
      'sign.mjs',
      `import { env } from 'node:process'; export default () => ({ 'x-signature': env.SIGNATURE });`,
    ),
    SIGNATURE: signature,
    TARGET_NAME: `staging-${key}`,
    REPORTS_DIR: path.join(REPORTS_DIR, key),
    RECORD: '1',
    PROBES: 'on',
  };
};

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
  'a shard that is red, also by secrets that read like words, annotated, rendered, and recorded under a name that holds one':
    {
      alter: whispering,
      env: async (...of) => ({ ...(await whispered(...of)), GITHUB_ACTIONS: 'true' }),
      args: ['--shard=1/1', ...fewWords],
      verdict: 'fail',
      violations: 3,
      finish: render,
    },
  'red, with traces and other reporters': {
    alter: breaking,
    args: ['--trace', 'on', allReporters, ...few],
    verdict: 'fail',
    violations: 3,
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
  'out of time': { alter: unanswered, args: ['--global-timeout=2000'], verdict: 'error' },
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
  'reports into a file': { env: () => ({ REPORTS_DIR: fileOf('file', '') }), args: [], verdict: 'none' },
  'every logger at once, and configured wrongly': {
    env: (common, canaries) => ({ HTTP_PROXY: common.HTTPS_PROXY, ...loggers, ...wrong(common, canaries) }),
    args: [],
    verdict: 'error',
  },
  'DEBUG=pw:api': rejected({ DEBUG: 'pw:api' }),
  'DEBUG=https-proxy-agent': {
    env: ({ HTTPS_PROXY }) => ({ HTTP_PROXY: HTTPS_PROXY, DEBUG: 'https-proxy-agent' }),
    verdict: 'error',
  },
  'NODE_DEBUG=HTTP': rejected({ NODE_DEBUG: 'HTTP' }),
  'NODE_DEBUG=child_process': rejected({ NODE_DEBUG: 'child_process' }),
  '--debug': { args: ['--debug'], verdict: 'error' },
};
