const search = document.getElementById('search');
const query = document.getElementById('query');
const hits = document.getElementById('hits');
const contents = document.getElementById('contents');
const folds = [...document.querySelectorAll('details.fold')];
const rows = [...document.querySelectorAll('tr[id], .observed > div, .client > div')];
const isNarrow = matchMedia('(max-width: 60rem)').matches;
const isPhone = matchMedia('(max-width: 40rem)').matches;
/** Beginning of a URL fragment that holds a query, such as `#search=letter%20case`. */
const searchPrefix = '#search=';

/** Words that a reader may search for, and words that the page uses instead. Only whole words match. */
const synonymRows = [
  ['401 403 apikey auth authenticate authentication', ['credentials', 'authentication']],
  ['authorization bearer forbidden key login unauthorized', ['credentials', 'authentication']],
  ['429 quota retry throttle throttling', ['rate limit']],
  ['cursor', ['offset']],
  ['date time', ['timestamp']],
  ['enum', ['one of', 'other values']],
  ['error', ['errors']],
  ['float', ['decimal', 'decimals']],
  ['format', ['form', 'forms', 'pattern']],
  ['found missing nonexistent', ['exist']],
  ['last next page pages pagination paging', ['pages', 'parameters/limit', 'parameters/offset']],
  ['money round rounded rounding', ['amounts']],
  ['new', ['other']],
  ['nullable', ['null']],
  ['ordering sort sorted sorting', ['order']],
  ['shape', ['body', 'form']],
  ['timezone zone', ['utc']],
];

/** Words that the page uses, keyed by a word that a reader may search for instead, such as `pagination`. */
const synonyms = Object.fromEntries(
  synonymRows.flatMap(([words, names]) => words.split(' ').map((word) => [word, names])),
);

/**
 * Converts a text to lower case, and puts `<` and `>` around each word.
 * A search for `<known` then finds words that begin with "known", but not "unknown".
 */
const markWords = (text) => text.toLowerCase().replace(/[\p{L}\p{N}]+/gu, '<$&>');

/** Appends a copy of a text in which names such as "PaymentToken" are split into words: "Payment Token". */
const splitNames = (text) => `${text} ${text.replace(/(?<=[a-z])(?=[A-Z])/g, ' ')}`;

/**
 * Builds the texts of a row that the search looks at: title and whole text, with marked words. Joins the texts of its elements with
 * blanks, because `textContent` of the row has no blanks between cells.
 */
function buildSearchTexts(row) {
  const elements = [row, ...row.querySelectorAll('*')];
  const text = [row.id, ...elements.map(({ textContent }) => textContent)].join(' ');
  const title = `${row.id} ${row.querySelector('th, dt').textContent}`;
  return { title: markWords(splitNames(title)), text: markWords(splitNames(text)) };
}

const searchTexts = new Map(rows.map((row) => [row, buildSearchTexts(row)]));

/** Returns what a word of the query matches: words with this `beginning`, and whole `words`: itself, and those of `synonyms`. */
function listAlternatives(term) {
  const word = markWords(term);
  const names = synonyms[term.toLowerCase()] ?? [];
  return { beginning: word.replace(/>$/, ''), words: [word, ...names.map(markWords)] };
}

/**
 * Rates how well a row fits a word of the query: 4 if its title has the whole word or a synonym, 3 if its text has it.
 * 2 if its title has a word with this beginning, 1 if its text has one. 0 otherwise.
 */
function rate(row, { beginning, words }) {
  const { title, text } = searchTexts.get(row);
  const hasWord = (part) => words.some((word) => part.includes(word));
  if (hasWord(title)) return 4;
  if (hasWord(text)) return 3;
  return title.includes(beginning) ? 2 : Number(text.includes(beginning));
}

/** Splits the query into words, each with what it matches. "API key" counts as one word. */
const readTerms = () =>
  query.value
    .replace(/api[\s_-]+key/gi, 'apikey')
    .split(/\s+/)
    .filter(Boolean)
    .map(listAlternatives);

/**
 * Shows only the rows that fit every word of the query, and the parts of the page around these rows, opened; all rows for an empty query.
 * Also shows how many rows fit. Returns the row that fits best, the first one of several; undefined for an empty query or no hit.
 */
function filterRows() {
  const terms = readTerms();
  const ratings = new Map();
  for (const row of rows) {
    const termRatings = terms.map((term) => rate(row, term));
    row.hidden = termRatings.includes(0);
    if (terms.length > 0 && !row.hidden) ratings.set(row, Math.min(...termRatings));
  }
  for (const part of [...folds, ...document.querySelectorAll('main section')])
    part.hidden = terms.length > 0 && !part.querySelector('tr[id]:not([hidden]), dl > div:not([hidden])');
  for (const part of terms.length > 0 ? folds : []) part.open = true;
  document.body.classList.toggle('searching', terms.length > 0);
  const hint = 'Try a name, a section or a word of a rule.';
  const all = `${rows.length} fields, rules and answers`;
  const hitText = ratings.size > 0 ? `${ratings.size} of ${all}` : `Nothing found among ${all}. ${hint}`;
  hits.textContent = terms.length > 0 ? hitText : '';
  // -Infinity without hits, which no row has.
  const bestRating = Math.max(...ratings.values());
  return rows.find((row) => ratings.get(row) === bestRating);
}

/** Shows the rows that fit the query, marks the one that fits best, and scrolls to it. */
function showHits() {
  const bestRow = filterRows();
  for (const row of rows) row.classList.toggle('best', row === bestRow);
  bestRow?.scrollIntoView();
}

/** Puts the query into the URL fragment, so that the browser's Back button restores it after a link was followed. */
function keepQuery() {
  const isKept = location.hash.startsWith(searchPrefix);
  const fragment = query.value === '' ? '#' : searchPrefix + encodeURIComponent(query.value);
  history[isKept ? 'replaceState' : 'pushState'](null, '', fragment);
}

function endSearch() {
  if (query.value === '') return;
  query.value = '';
  showHits();
}

/** Shows what the URL fragment names: the hits of a query, or the element with that id, after opening each `details` around it. */
function showPlace() {
  const { hash } = location;
  const isQuery = hash.startsWith(searchPrefix);
  query.value = isQuery ? decodeURIComponent(hash.slice(searchPrefix.length)) : '';
  showHits();
  const place = isQuery ? null : document.getElementById(decodeURIComponent(hash.slice(1)));
  for (let part = place?.closest('details'); part; part = part.parentElement.closest('details'))
    part.open = true;
  place?.scrollIntoView();
}

search.hidden = false;
search.addEventListener('submit', (event) => event.preventDefault());
query.addEventListener('input', () => {
  keepQuery();
  showHits();
});
addEventListener('click', ({ target }) => {
  if (!target.closest('a[href^="#"]')) return;
  endSearch();
  if (isNarrow) contents.open = false;
});
addEventListener('hashchange', showPlace);
if (isNarrow) contents.open = false;
if (isPhone) for (const part of document.querySelectorAll('#attention details')) part.open = false;
if (isPhone) for (const part of folds) part.open = part.querySelector(':scope > .errors') !== null;
if (location.hash) showPlace();
