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

search.hidden = false;
search.addEventListener('submit', (event) => event.preventDefault());
query.addEventListener('input', filter);
addEventListener('hashchange', () => {
  // A link must lead somewhere also while a search hides it.
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target?.hidden && !target?.closest('table[hidden]')) return;
  query.value = '';
  filter();
  target.scrollIntoView();
});
