import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { contractPage } from '../../../reports/pages/contract-page.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { browserOptions } from '../harness/browser.ts';
import { altering, set } from '../harness/edits.ts';
import { judgedRun } from '../harness/judged-runs.ts';
import { inTurn } from '../proof/variants/variant.ts';

// Takes the pictures of README from a real run (`npm run dev:pictures`).
const folder = mkdtempSync(path.join(tmpdir(), 'pictures-'));
const alter = inTurn(
  altering('getCard', set('data/card/expiration_date', '2028-01')),
  altering('listCustomers', set('data/customers/1/phone', 4_915_112_345)),
  altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 0.3)),
);
const page = path.join(folder, 'contract.html');
writeFileSync(page, contractPage(loadContract(), await judgedRun({ alter }, { name: 'staging' })));
const browser = await chromium.launch(browserOptions.launchOptions);
const tab = await browser.newPage({ viewport: { width: 1100, height: 760 } });
await tab.goto(`file://${page}`);
await tab.screenshot({ path: 'docs/contract-page.png' });
await tab.setViewportSize({ width: 1400, height: 760 });
const row = tab.locator('[id="getCard/data/card/expiration_date"]');
await row.evaluate((one) => one.scrollIntoView({ block: 'center' }));
const { x, y, width, height } = (await row.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
// Between its neighbours.
const clip = { x: x - 16, y: y - 60, width: width + 32, height: height + 120 };
await tab.screenshot({ path: 'docs/failure.png', clip });
await browser.close();
rmSync(folder, { recursive: true });
