import { writeFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import { contractPage } from '../../../reports/pages/contract-page.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { browserOptions, needBrowser, showAs, test, views } from '../harness/browser.ts';
import { json } from '../harness/examples.ts';
import { reportOf } from './report-outputs.ts';

needBrowser();
test.use(browserOptions);

/** How far the text of a broken row stands from where its bar ends, and whether the bar marks the whole row. */
function barsOf(rows: Element[]) {
  const bar = (one: Element) => {
    const { boxShadow } = getComputedStyle(one);
    return boxShadow.includes('inset') ? Number.parseFloat(boxShadow.split(') ')[1] ?? '0') : 0;
  };
  const leftOf = (one: Element) => one.getBoundingClientRect().left;
  return rows.map((row) => {
    const head = row.querySelector('th') as Element;
    const text = head.querySelector('code') as Element;
    return {
      space: leftOf(text) - leftOf(head) - Math.max(bar(head), bar(row)),
      // Cells stand beside each other, or below each other.
      marked: [head, row].find((one) => getComputedStyle(one).boxShadow !== 'none')?.clientHeight,
      height: row.clientHeight,
    };
  });
}

test('the bar of a broken row covers no text, and marks the whole row', async ({ page }) => {
  const run = await reportOf(({ operation }, usual) =>
    operation === 'getCard' ? json(200, { code: '200', data: { card: { id: 7, limits: 7 } } }) : usual,
  );
  const file = test.info().outputPath('contract.html');
  writeFileSync(file, contractPage(loadContract(), run));
  await page.goto(`file://${file}`);
  for (const [view, options] of Object.entries(views)) {
    await showAs(page, options);
    const bars = await page.locator('tr[data-verdict="violation"]').evaluateAll(barsOf);
    expect(bars.length, view).toBeGreaterThan(3);
    for (const { space, marked, height } of bars) {
      expect(space, view).toBeGreaterThanOrEqual(view === 'phone' ? 2 : 0);
      expect(Math.abs((marked ?? 0) - height), view).toBeLessThanOrEqual(2);
    }
  }
});
