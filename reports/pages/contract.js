const search = document.getElementById('search');
const query = document.getElementById('query');
const hits = document.getElementById('hits');
const rows = [...document.querySelectorAll('tr[id], .observed > div')];
const searchText = new Map(rows.map((row) => [row, `${row.id} ${row.textContent}`.toLowerCase()]));

/** Shows the rows that hold each word of the query, and what stands around them. */
function filter() {
  const terms = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = rows.filter((row) => {
    const hit = terms.every((word) => searchText.get(row).includes(word));
    row.hidden = !hit;
    return hit;
  });
  document.body.classList.toggle('searching', terms.length > 0);
  for (const table of document.querySelectorAll('table:has(tr[id])'))
    table.hidden = !table.querySelector('tr[id]:not([hidden])');
  hits.textContent = terms.length > 0 ? `${shown.length} of ${rows.length} fields, rules and answers` : '';
}

/** How long ago the run was, in the largest unit that fits. */
function ageOf(moment) {
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(moment)) / 60_000));
  if (minutes === 0) return 'just now';
  const units = [
    ['day', 1440],
    ['hour', 60],
    ['minute', 1],
  ];
  const [unit, size] = units.find(([, minSize]) => minutes >= minSize) ?? ['minute', 1];
  return new Intl.RelativeTimeFormat('en').format(-Math.floor(minutes / size), unit);
}

search.hidden = false;
search.addEventListener('submit', (event) => event.preventDefault());
query.addEventListener('input', filter);
document.getElementById('age').textContent = `(${ageOf(document.querySelector('time').dateTime)})`;
addEventListener('hashchange', () => {
  // A link must lead somewhere also while a search hides it.
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.hidden && !target?.closest('table[hidden]')) return;
  query.value = '';
  filter();
  target.scrollIntoView();
});
