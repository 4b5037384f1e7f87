const search = document.getElementById('search');
const query = document.getElementById('query');
const hits = document.getElementById('hits');
const contents = document.getElementById('contents');
const folds = [...document.querySelectorAll('details.fold')];
const rows = [...document.querySelectorAll('tr[id], .observed > div, .client > div')];
const isNarrow = matchMedia('(max-width: 60rem)').matches;
const isPhone = matchMedia('(max-width: 40rem)').matches;

/** Other words for what readers look for. */
const synonyms = {
  401: ['credentials'],
  403: ['credentials'],
  auth: ['credentials', 'authenticate'],
  authentication: ['credentials', 'authenticate'],
  cursor: ['offset'],
  date: ['timestamp'],
  nullable: ['null'],
  page: ['limit', 'offset'],
  pages: ['limit', 'offset'],
  pagination: ['limit', 'offset'],
  paging: ['limit', 'offset'],
  shape: ['form'],
  sort: ['order'],
  sorted: ['order'],
  sorting: ['order'],
  throttling: ['rate'],
  time: ['timestamp'],
  timezone: ['utc'],
  zone: ['utc'],
};

/** Marks where words begin: "known" is not in "unknown". */
const words = (text) => text.toLowerCase().replace(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/gu, '\n');

/** Text of a row, element by element, because cells follow each other without a blank. PaymentToken is one word and two. */
function searchTextOf(row) {
  const text = [row.id, ...[row, ...row.querySelectorAll('*')].map(({ textContent }) => textContent)].join(
    ' ',
  );
  return words(`${text} ${text.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')}`);
}

const searchText = new Map(rows.map((row) => [row, searchTextOf(row)]));

/** Words that a term of the query stands for. */
const alternativesOf = (term) => [term, ...(synonyms[term.toLowerCase()] ?? [])].map(words);

/** Shows the rows that hold each term of the query, and the titles above them. */
function filter() {
  const terms = query.value.split(/\s+/).filter(Boolean).map(alternativesOf);
  const matches = (row) => terms.every((all) => all.some((word) => searchText.get(row).includes(word)));
  const found = new Set(rows.filter(matches));
  for (const row of rows) row.hidden = !found.has(row);
  for (const part of [...folds, ...document.querySelectorAll('main section')])
    part.hidden = terms.length > 0 && !part.querySelector('tr[id]:not([hidden]), dl > div:not([hidden])');
  for (const part of terms.length > 0 ? folds : []) part.open = true;
  document.body.classList.toggle('searching', terms.length > 0);
  const hint = 'Try a name, a section or a word of a rule.';
  const all = `${rows.length} fields, rules and answers`;
  const said = found.size > 0 ? `${found.size} of ${all}` : `Nothing found among ${all}. ${hint}`;
  hits.textContent = terms.length > 0 ? said : '';
}

function endSearch() {
  if (query.value === '') return;
  query.value = '';
  filter();
}

/** Opens what hides the place that the address names, and shows it. */
function showPlace() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = place?.closest('details'); part; part = part.parentElement.closest('details'))
    part.open = true;
  place?.scrollIntoView();
}

/** Marks the entry of the contents that a reader has scrolled to. */
function markEntry(section) {
  for (const link of contents.querySelectorAll('a[href^="#"]'))
    link.ariaCurrent = link.hash === `#${section.id}` ? 'true' : null;
}

search.hidden = false;
search.addEventListener('submit', (event) => event.preventDefault());
query.addEventListener('input', filter);
addEventListener('click', ({ target }) => {
  if (!target.closest('a[href^="#"]')) return;
  endSearch();
  if (isNarrow) contents.open = false;
});
addEventListener('hashchange', () => {
  endSearch();
  showPlace();
});
if (isNarrow) contents.open = false;
if (isPhone) for (const part of folds) part.open = false;
if (location.hash) showPlace();
const observer = new IntersectionObserver(
  (entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting) markEntry(target);
  },
  { rootMargin: '-20% 0px -75%' },
);
for (const section of document.querySelectorAll('main section[id]')) observer.observe(section);
