const search = document.getElementById('search');
const query = document.getElementById('query');
const hits = document.getElementById('hits');
const contents = document.getElementById('contents');
const folds = [...document.querySelectorAll('details.fold')];
const rows = [...document.querySelectorAll('tr[id], .observed > div, .client > div')];
const isNarrow = matchMedia('(max-width: 60rem)').matches;
const isPhone = matchMedia('(max-width: 40rem)').matches;

/** Words of this page by the words that a reader may search for instead. */
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

/** Puts a line break before each word, so that a search for "known" finds words that begin with it, but not "unknown". */
const markWords = (text) => text.toLowerCase().replace(/(?<![\p{L}\p{N}])(?=[\p{L}\p{N}])/gu, '\n');

/**
 * Builds the text of a row in which to search. Joins the texts of its elements with blanks, because `textContent` of the row has none
 * between cells. Has "PaymentToken" also as "Payment Token".
 */
function buildSearchText(row) {
  const text = [row.id, ...[row, ...row.querySelectorAll('*')].map(({ textContent }) => textContent)].join(
    ' ',
  );
  return markWords(`${text} ${text.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')}`);
}

const searchText = new Map(rows.map((row) => [row, buildSearchText(row)]));

/** Lists the words that a term of the query finds: the term itself, and words of the page for it. */
const listAlternatives = (term) => [term, ...(synonyms[term.toLowerCase()] ?? [])].map(markWords);

/** Shows only the rows that contain every term of the query, and the parts around them, opened. Without terms, shows all. */
function filter() {
  const terms = query.value.split(/\s+/).filter(Boolean).map(listAlternatives);
  const matches = (row) => terms.every((words) => words.some((word) => searchText.get(row).includes(word)));
  const matchingRows = new Set(rows.filter(matches));
  for (const row of rows) row.hidden = !matchingRows.has(row);
  for (const part of [...folds, ...document.querySelectorAll('main section')])
    part.hidden = terms.length > 0 && !part.querySelector('tr[id]:not([hidden]), dl > div:not([hidden])');
  for (const part of terms.length > 0 ? folds : []) part.open = true;
  document.body.classList.toggle('searching', terms.length > 0);
  const hint = 'Try a name, a section or a word of a rule.';
  const all = `${rows.length} fields, rules and answers`;
  const hitText =
    matchingRows.size > 0 ? `${matchingRows.size} of ${all}` : `Nothing found among ${all}. ${hint}`;
  hits.textContent = terms.length > 0 ? hitText : '';
}

/** Clears the query and shows all rows. */
function endSearch() {
  if (query.value === '') return;
  query.value = '';
  filter();
}

/** Scrolls to the element that the fragment of the address names, after opening each `details` around it. */
function showPlace() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  for (let part = place?.closest('details'); part; part = part.parentElement.closest('details'))
    part.open = true;
  place?.scrollIntoView();
}

/** Marks the entry of a section in the contents as the current one. */
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
  // A section becomes the current one in a narrow band in the upper part of the window.
  { rootMargin: '-20% 0px -75%' },
);
for (const section of document.querySelectorAll('main section[id]')) observer.observe(section);
