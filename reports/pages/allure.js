// What Allure's page lacks: links to files beside it, names of buttons and charts that only show a picture, contrast, its
// beginning in sight, and one scrollbar below the link back. It has a tab for gates of its own, which are never there. The percentage of its ring counts no skipped test: it reads 100 % where most was not exercised.
const style = document.createElement('style');
style.textContent = `[data-testid="test-result-status-failed"] { background-color: #b3261e; }
article:has(> svg [data-chart-tooltip-trigger]) b { display: none; }
body { display: flex; flex-direction: column; height: 100vh; overflow: hidden; }
#app { flex: 1; min-height: 0; }
#app > * { height: 100% !important; }
[data-testid="nav-tab-qualityGate"] { display: none; }`;

/* Allure scrolls to its first row before anybody has touched the page: on a telephone its title is out of sight. */
let touched = location.hash.length > 1;
for (const type of ['pointerdown', 'keydown', 'wheel', 'touchstart'])
  addEventListener(type, () => (touched = true), { capture: true, once: true, passive: true });
document.addEventListener(
  'scroll',
  ({ target }) => {
    if (!touched && target.dataset?.testid === 'base-layout') target.scrollTop = 0;
  },
  { capture: true },
);

function link(span) {
  const anchor = span.querySelector('a') ?? span.appendChild(document.createElement('a'));
  // The text node moves into the link, so that Allure goes on writing to it.
  if (span.firstChild !== anchor) anchor.append(span.firstChild);
  anchor.style.color = 'inherit';
  anchor.href = `../${anchor.textContent}`;
}

/** A button is named by what it says, or else by what Allure calls it and where it stands. */
function name(button) {
  const said = button.textContent.trim();
  const label = button.getAttribute('aria-label') ?? '';
  if (said && label && !label.includes(said)) button.removeAttribute('aria-label');
  if (said || label || button.title) return;
  const place = button.closest('[data-testid]')?.dataset.testid ?? 'button';
  const about = button.parentElement?.textContent.trim().slice(0, 60) ?? '';
  button.setAttribute('aria-label', `${place.replaceAll('-', ' ')} ${about}`.trim());
}

/** A chart is named by what stands before it: its title. */
function nameChart(chart) {
  const own = chart.textContent;
  let around = chart.parentElement;
  while (around?.parentElement && around.textContent === own) around = around.parentElement;
  const [title = ''] = around?.textContent.split(own || '\n') ?? [];
  chart.setAttribute('aria-label', title.trim().slice(0, 60) || 'chart');
}

new MutationObserver(() => {
  if (!style.isConnected) document.head.append(style);
  for (const span of document.querySelectorAll('[data-testid="test-result-meta-link"] > span')) link(span);
  for (const button of document.querySelectorAll('button')) name(button);
  for (const tab of document.querySelectorAll('[data-testid^="nav-tab-global"]'))
    tab.style.display = /\b0$/.test(tab.textContent.trim()) ? 'none' : '';
  for (const chart of document.querySelectorAll('svg[role="img"]:not([aria-label])')) nameChart(chart);
}).observe(document, { subtree: true, childList: true, characterData: true });
