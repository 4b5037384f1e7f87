import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../harness/whole-run.ts';
import type { Canaries } from './canaries.ts';
import { type Common, fileOf } from './canary-run.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/**
 * One violation, since Playwright replaces its worker after each failed test and all of them are written alike, and
 * deviations, which are reported by a test that passes.
 */
export const few = ['--grep', '@getCard/data/card/(status|limits/\\*/(status|period))$'];

/**
 * The configuration of the suite with every other reporter of Playwright beside its own. Options keep out of JSON, since
 * the one that writes JSON prints those of all others, and is never beside Allure otherwise.
 */
export function withAllReporters(): string[] {
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
export const loggers = { DEBUG: '*', NODE_DEBUG: 'HTTP,child_process' };

/** Variables that hold secrets, and are wrong. */
export const wrong = ({ BASE_URL, API_HEADERS }: Common, canaries: Canaries): Environment => ({
  BASE_URL: `${BASE_URL}?key=${canaries.of('key in the address')}`,
  API_HEADERS: API_HEADERS.slice(0, -1),
  PROFILE: canaries.of('profile'),
  MAX_PAGES: canaries.of('pages'),
});

/** A module that signs with what it finds in the environment. */
export const signing = `import { env } from 'node:process'; export default () => ({ 'x-signature': env.SIGNATURE });`;

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
    AUTH_MODULE: fileOf('sign.mjs', signing),
    SIGNATURE: signature,
    TARGET_NAME: `staging-${key}`,
    REPORTS_DIR: path.join(REPORTS_DIR, key),
    RECORD: '1',
    PROBES: 'on',
  };
}
