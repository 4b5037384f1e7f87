const search = document.getElementById('search');
const query = document.getElementById('query');
const hits = document.getElementById('hits');
const rows = [...document.querySelectorAll('tr[id], .observed > div')];

/** Marks where words begin: "known" is not in "unknown". */
const words = (text) => text.toLowerCase().replace(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/gu, '\n');

/** Each element of its own, since cells follow each other without a blank; PaymentToken is two words as well as one. */
function searchTextOf(row) {
  const text = [row.id, ...[row, ...row.querySelectorAll('*')].map((one) => one.textContent)].join(' ');
  return words(`${text} ${text.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')}`);
}

const searchText = new Map(rows.map((row) => [row, searchTextOf(row)]));

/** Shows the rows that hold each word of the query, and what stands around them; everything where there is no such row. */
function filter() {
  const terms = query.value.split(/\s+/).filter(Boolean).map(words);
  const found = new Set(rows.filter((row) => terms.every((word) => searchText.get(row).includes(word))));
  const isFiltered = terms.length > 0 && found.size > 0;
  for (const row of rows) row.hidden = isFiltered && !found.has(row);
  document.body.classList.toggle('searching', isFiltered);
  for (const table of document.querySelectorAll('table:has(tr[id])'))
    table.hidden = !table.querySelector('tr[id]:not([hidden])');
  const all = `${rows.length} fields, rules and answers`;
  const hint = 'try a name, a section or a word of a rule';
  const said = found.size > 0 ? `${found.size} of ${all}` : `Nothing found: all ${all} are shown; ${hint}`;
  hits.textContent = terms.length > 0 ? said : '';
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
