import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type Browser, type BrowserContextOptions, chromium } from '@playwright/test';
import { identifiers } from '../../../mock/seed.ts';
import { type Alter, type Mock, startMock } from '../../../mock/server.ts';

/**
 * Records what the readers of traffic are tested with: a browser asks the mock, Playwright and mitmproxy record it.
 * `npm run dev:record-traffic -- [CHROMIUM]` writes tests/self/traffic/recordings anew; no test runs this. It needs Chromium, at
 * /usr/bin/chromium if nothing is said, and, for its share, mitmproxy (Debian: apt-get install mitmproxy).
 */
const [, , executablePath = '/usr/bin/chromium'] = process.argv;

const { CARD_IDS: cardIds, CUSTOMER_IDS: customerIds, USER_IDS: userIds } = identifiers;
const [card, movedCard, busyCard, brokenCard] = cardIds;
const [customer, cutCustomer] = customerIds;
const cards = '/svc/ts/api/v1/openapi/cards';
const customers = '/svc/payment/api/v1/openapi/customers';
const feeRules = '/api/v1/openapi/digital_wallets/fee_rule';

/** What is asked while recorders listen, in this order. */
const paths = [
  `${cards}/${card}`,
  `${customers}?limit=2`,
  `${customers}/${customer}`,
  `${feeRules}?type=business`,
  `${feeRules}?type=user&user_id=${userIds[1]}`,
  `${cards}/00000000-0000-4000-8000-000000000000`,
  `${cards}/${movedCard}`,
  `${cards}/${busyCard}`,
  `${cards}/${brokenCard}`,
  `${customers}/${cutCustomer}`,
  '/elsewhere',
];

/** Of everything that a recording can hold: compression, a redirect, errors, a connection that is cut. */
const oddities: Alter = (answer, { path }) => {
  const { headers, body } = answer;
  if (path === `${cards}/${busyCard}`) return { ...answer, status: 429 };
  if (path === `${cards}/${brokenCard}`) return { ...answer, status: 503 };
  if (path === `${cards}/${movedCard}`)
    return { ...answer, status: 302, headers: { ...headers, location: `${cards}/${card}` } };
  if (path === `${customers}/${cutCustomer}`) return { ...answer, abort: 'middle' };
  if (!path.startsWith(`${customers}?`)) return answer;
  const raw = gzipSync(JSON.stringify(body));
  return { ...answer, raw, headers: { ...headers, 'content-encoding': 'gzip' } };
};

/** Breaks two requirements: one that a value shows, and one that only the text of the response shows. */
const faults: Alter = (answer, { path }) => {
  const text = JSON.stringify(answer.body);
  if (path === `${cards}/${card}`) return { ...answer, raw: text.replace(/"\d\d\/\d\d"/, '"2031-04"') };
  if (path.startsWith(feeRules)) return { ...answer, raw: text.replace('{', '{"code":200,') };
  return answer;
};

/** The providers that are recorded. */
const alterations = {
  conforming: oddities,
  faulty: async (answer, request) => faults(await oddities(answer, request), request),
} satisfies Record<string, Alter>;

type Provider = keyof typeof alterations;

const folder = fileURLToPath(new URL('recordings/', import.meta.url));
const ports = { mock: 4010, proxy: 4011 };

/** Ships with mitmproxy before 10.1, which cannot write HAR by itself. */
const harScript = '/usr/share/doc/mitmproxy/examples/contrib/har_dump.py';

const launch = (proxy?: { server: string; bypass: string }) =>
  chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu'],
    ...(proxy ? { proxy } : {}),
  });

/** Visits each path; those that are cut off or redirected count as well. */
async function browse(browser: Browser, mock: Mock, context: BrowserContextOptions = {}): Promise<void> {
  const visitor = await browser.newContext(context);
  const page = await visitor.newPage();
  for (const path of paths) {
    const response = await page.goto(mock.url + path, { timeout: 3_000 }).catch(() => undefined);
    // A browser forgets a body when it goes on before anybody has read it.
    await response?.body().catch(() => undefined);
  }
  await visitor.close();
}

async function recordWithPlaywright(mock: Mock, name: Provider): Promise<void> {
  const browser = await launch();
  const beside = `${folder}playwright-attach-${name}/`;
  const recordings = [
    { path: `${folder}playwright-embed-${name}.har`, content: 'embed' as const },
    { path: `${folder}playwright-omit-${name}.har`, content: 'omit' as const },
    { path: `${folder}playwright-attach-${name}.zip` },
    { path: `${beside}session.har`, content: 'attach' as const },
  ];
  for (const recordHar of recordings) await browse(browser, mock, { recordHar });
  await browser.close();
}

async function recordWithMitmproxy(mock: Mock, name: Provider): Promise<void> {
  const script = existsSync(harScript) ? ['-s', harScript] : [];
  const file = `${folder}mitmproxy-${name}.har`;
  const proxy = spawn('mitmdump', ['-p', `${ports.proxy}`, ...script, '--set', `hardump=${file}`]);
  // It says so once it listens.
  await once(proxy.stdout, 'data');
  // Chromium passes by a proxy for this machine unless a flag says otherwise.
  const browser = await launch({ server: `http://127.0.0.1:${ports.proxy}`, bypass: '<-loopback>' });
  await browse(browser, mock);
  await browser.close();
  proxy.kill('SIGINT');
  await once(proxy, 'exit');
}

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
for (const [name, alter] of Object.entries(alterations)) {
  const mock = await startMock({ port: ports.mock, alter });
  await recordWithPlaywright(mock, name as Provider);
  await recordWithMitmproxy(mock, name as Provider);
  await mock.close();
}
