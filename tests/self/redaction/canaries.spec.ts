import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { listNodes } from '../../../schemas/contract/nodes.ts';
import { applyInOrder } from '../harness/edits.ts';
import { root } from '../harness/project-files.ts';
import { createCallersFolder, type Environment, writeTestFile } from '../harness/whole-run.ts';
import { renameUser } from '../proof/variants/variant.ts';
import { findClosedAddress } from '../runs/hostile.ts';
import { Canaries } from './canaries.ts';
import { type CanaryScenario, type Common, runWithCanaries } from './canary-run.ts';
import {
  breaking,
  conforming,
  contradicting,
  hostile,
  rejecting,
  rejectingUnknown,
  replacingEveryValue,
  whispering,
} from './canary-target.ts';

test.setTimeout(120_000);

/** Playwright arguments that select only three requirements. */
const grepThreeRequirements = ['--grep', '@getCard/data/card/(status|limits/\\*/(status|period))$'];

function addPlaywrightReporters(): string[] {
  const playwrightReporters = ['list', 'dot', 'json', 'junit', 'html', 'blob'].map((name) => [name]);
  const configText = `
    import path from 'node:path';
    import config from ${JSON.stringify(path.join(root, 'playwright.config.ts'))};
    const resolveInRoot = (name) => name.startsWith('.') || name.includes('/') ? path.resolve(${JSON.stringify(root)}, name) : name;
    // Playwright's own reporters print the configuration as JSON. The function toJSON leaves out the options of the suite's reporters.
    const hideOptions = (options) => ({ ...options, toJSON: () => ({}) });
    const ownReporters = config.reporter.map(([name, options]) => [resolveInRoot(name), hideOptions(options)]);
    export default {
      ...config,
      projects: config.projects.map((project) => ({ ...project, testDir: resolveInRoot(project.testDir) })),
      globalSetup: resolveInRoot(config.globalSetup),
      reporter: [...ownReporters, ...${JSON.stringify(playwrightReporters)}],
    };`;
  return ['--config', writeTestFile('all-reporters.config.mjs', configText)];
}

function misconfigure({ BASE_URL, API_HEADERS, HTTPS_PROXY }: Common, canaries: Canaries): Environment {
  const invalidJson = API_HEADERS.slice(0, -1);
  return {
    DEBUG: '*',
    NODE_DEBUG: 'HTTP,child_process',
    HTTP_PROXY: HTTPS_PROXY,
    BASE_URL: `${BASE_URL}?key=${canaries.getCode('key in the address')}`,
    API_HEADERS: invalidJson,
    PROFILE: canaries.getCode('profile'),
    MAX_RPS: canaries.getCode('rate'),
  };
}

const signingModule = `import { env } from 'node:process'; export default () => ({ 'x-signature': env.SIGNATURE });`;

const appendToPassword = (url: string, text: string) => url.replace('@', `${text}@`);

/**
 * Returns the given environment variables with secrets of plain words (such as `lumobatek-sorivanex`) added,
 * and further variables such as `TARGET_NAME`.
 */
function hideSecretsInWords({ BASE_URL, API_HEADERS, REPORTS_DIR }: Common, canaries: Canaries): Environment {
  const key = canaries.getWords('API key in words');
  const password = canaries.getWords('password in words');
  const signature = canaries.getWords('signature in words');
  const headers = {
    ...JSON.parse(API_HEADERS),
    'X-Other-Key': key.replace('-', ' '),
    'X-Authorization': `Basic ${Buffer.from(`user:${password}`).toString('base64')}`,
    Cookie: `a=${canaries.getCode('own cookie')}; session=${canaries.getWords('own cookie in words')}`,
  };
  return {
    BASE_URL: appendToPassword(BASE_URL, password),
    API_HEADERS: JSON.stringify(headers),
    AUTH_MODULE: writeTestFile('sign.mjs', signingModule),
    SIGNATURE: signature,
    TARGET_NAME: `staging-${key}`,
    REPORTS_DIR: path.join(REPORTS_DIR, key),
    PROBES: 'record',
  };
}

const createRejectedScenario = (env: Environment): CanaryScenario => ({
  env: () => env,
  verdict: 'error',
  notePattern: /would print addresses and headers unredacted: unset it/,
});

const failingSigningModule = `
import { env } from 'node:process';
export default async (request) => {
  throw Object.assign(new Error(JSON.stringify([request, env])), request, env);
};`;

const failingTests = `
import { expect, test } from ${JSON.stringify(path.join(root, 'tests/fixtures.ts'))};
const fail = (title, check) => test(title, async ({ send, identifiers }) => {
  const [id] = identifiers.CARD_IDS;
  const { body } = await send('getCard', { id });
  await check({ body, id });
});
fail('matcher', ({ body }) => expect(body).toEqual({}));
fail('value', ({ body, id }) => expect(body.data.card.title + id, 'title of ' + id).toBe(''));
fail('soft', ({ body, id }) => { expect.soft(body).toHaveProperty('x'); expect.soft(id).toBe(''); });
fail('thrown error', ({ body }) => { throw new Error(JSON.stringify(body), { cause: new Error(body.data.card.title) }); });
fail('thrown body', ({ body }) => { throw body; });
fail('conform', ({ body }) => expect(body).toConform());`;

const leafNames = loadContract()
  .operations.flatMap(listNodes)
  .filter(({ schema: { properties, items } }) => !properties && !items)
  // The elements of an array `tags` are the node `tags[]`.
  .map(({ name }) => name.replace('[]', ''));

const scenariosByName: Record<string, CanaryScenario> = {
  green: { verdict: 'pass' },
  red: { createTarget: breaking, verdict: 'fail', minViolations: 20 },
  'red by answers that contradict each other': {
    createTarget: contradicting,
    verdict: 'fail',
    minViolations: 4,
  },
  'red in every field': { createTarget: replacingEveryValue, verdict: 'fail', requiredLabels: leafNames },
  'red by what is documented, and by what is undeclared': {
    createTarget: (canaries) => applyInOrder(conforming(canaries), renameUser),
    env: () => ({ PROFILE: 'documented', FAIL_ON: 'undeclared' }),
    verdict: 'fail',
  },
  'red by secrets that read like words, with --trace and every reporter, annotated, and recorded under a name that holds one':
    {
      createTarget: whispering,
      env: (...commonAndCanaries) => ({
        ...hideSecretsInWords(...commonAndCanaries),
        GITHUB_ACTIONS: 'true',
      }),
      // Playwright starts a new process after each failed test, so few are selected.
      args: () => ['--trace', 'on', ...addPlaywrightReporters(), ...grepThreeRequirements],
      verdict: 'fail',
      // No test failed for any reason but its requirement.
      forbiddenOutput: /^ +at (?!contract |[./]*spec\/)|TypeError/m,
      minViolations: 1,
      leftFiles: ['.zip/', '.html/'],
    },
  'rejected, and signed anew': { createTarget: rejecting(401), verdict: 'error' },
  'redirected, broken and cut short': { createTarget: hostile, verdict: 'fail' },
  'nobody there': {
    env: async ({ BASE_URL }) => ({
      BASE_URL: BASE_URL.replace(/@[^/]*/, `@${new URL(await findClosedAddress()).host}`),
    }),
    verdict: 'error',
  },
  // Longer than a busy machine needs to send its first request.
  'out of time': {
    createTarget: () => (response) => ({ ...response, delayMs: 60_000 }),
    args: () => ['--global-timeout=8000'],
    verdict: 'error',
    notePattern: /Timed out waiting 8s/,
    forbiddenOutput: /AUTH_MODULE/,
  },
  'signing fails': {
    env: () => ({ AUTH_MODULE: writeTestFile('wrong.mjs', failingSigningModule) }),
    verdict: 'error',
  },
  'probes and fuzzing find server errors': {
    createTarget: rejectingUnknown(500),
    env: () => ({ PROBES: '40', FAIL_ON: 'server-errors' }),
    verdict: 'fail',
  },
  'behaviour was recorded, and drifts': {
    earlierRun: { createTarget: rejectingUnknown(404), env: () => ({ PROBES: 'record' }) },
    createTarget: rejectingUnknown(410),
    env: () => ({ PROBES: 'on', FAIL_ON: 'drift' }),
    verdict: 'fail',
  },
  'every logger at once, and configured wrongly': {
    env: misconfigure,
    verdict: 'error',
    notePattern: /DEBUG would print/,
  },
  'red with --debug': {
    createTarget: breaking,
    args: () => ['--debug'],
    env: () => ({ PROBES: 'off' }),
    verdict: 'fail',
  },
  'red by tests of the team': {
    args: () => ['--project=custom'],
    env: () => ({
      CUSTOM_TESTS: path.dirname(writeTestFile('failing.spec.mts', failingTests)),
      PROBES: 'off',
    }),
    verdict: 'fail',
    outputPattern: /matcher \(failing\.spec\.mts:\d+\)\s+expect\(received\)\.toEqual\(expected\)/,
    leftFiles: ['error-context.md', '-result.json'],
  },
  'a sweep, with identifiers in a file': {
    createTarget: breaking,
    env: ({ CUSTOMER_IDS }, canaries) => {
      const file = path.join(createCallersFolder().folder, 'identifiers.txt');
      const identifiers = [...(CUSTOMER_IDS ?? '').split(','), canaries.getCode('customer id of a file')];
      writeFileSync(file, identifiers.join('\n'));
      return { SWEEP: 'all', CUSTOMER_IDS: `@${file}` };
    },
    verdict: 'fail',
    leftFiles: ['listCustomers.ndjson', 'CUSTOMER_IDS.ndjson'],
  },
  'reports into a file': {
    env: (...commonAndCanaries) => {
      const settings = hideSecretsInWords(...commonAndCanaries);
      const { REPORTS_DIR = '' } = settings;
      mkdirSync(path.dirname(REPORTS_DIR), { recursive: true });
      writeFileSync(REPORTS_DIR, '');
      return settings;
    },
    verdict: undefined,
    outputPattern: /REPORTS_DIR \(.*\) cannot be written: a file stands where a folder must be/,
  },
  'DEBUG=pw:api': createRejectedScenario({ DEBUG: 'pw:api' }),
  'NODE_DEBUG=child_process': createRejectedScenario({ NODE_DEBUG: 'child_process' }),
};

test('the search finds a mark in every encoding', () => {
  const canaries = new Canaries();
  const canary = canaries.getCode('x');
  const basic = Buffer.from(`user:${canary}@example.com`).toString('base64');
  const forms = [
    canary,
    canary.toUpperCase(),
    `"…${canary.slice(0, 12)}`,
    encodeURIComponent(canaries.getTextToEncode('x')),
    basic,
  ];
  const texts = [
    ...forms,
    JSON.stringify(canaries.getTextToEncode('x')),
    Buffer.from(`ab${canary}`).toString('hex'),
  ];
  for (const text of texts) expect(canaries.findLeaks([{ name: 'file', text }]), text).toEqual(['x in file']);
  expect(canaries.findLeaks([{ name: 'file', text: new Canaries().getCode('x') }])).toEqual([]);
});

for (const [name, scenario] of Object.entries(scenariosByName)) {
  test(`${name}: nothing that it received and sent is left`, async () => {
    const canaries = new Canaries();
    const {
      code,
      conformance,
      known: receivedText,
      writtenFiles,
    } = await runWithCanaries(scenario, canaries);
    expect(canaries.findLeaks(writtenFiles)).toEqual([]);
    expect(writtenFiles.at(-1)?.text).not.toMatch(scenario.forbiddenOutput ?? /^never$/);
    expect(writtenFiles.at(-1)?.text).toMatch(scenario.outputPattern ?? '');
    const names = writtenFiles.map((file) => file.name).join('\n');
    for (const part of scenario.leftFiles ?? []) expect(names).toContain(part);
    expect(conformance?.verdict).toBe(scenario.verdict);
    expect(code === 0).toBe(scenario.verdict === 'pass');
    expect(conformance?.notes.join('\n') ?? '').toMatch(scenario.notePattern ?? '');
    const violations =
      conformance?.requirements.filter((requirement) => requirement.verdict === 'violation') ?? [];
    expect(violations.length).toBeGreaterThanOrEqual(scenario.minViolations ?? 0);
    expect(canaries.findLabels(receivedText), 'where the run could have found them').toEqual(
      canaries.listLabels(),
    );
    expect(canaries.listLabels().length).toBeGreaterThanOrEqual(15);
    expect(canaries.listLabels()).toEqual(expect.arrayContaining(scenario.requiredLabels ?? []));
  });
}
