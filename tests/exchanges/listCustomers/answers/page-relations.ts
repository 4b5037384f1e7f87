import {
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  likely,
  unknown,
} from '../../../probes/evidence.ts';
import { answersOf, describeNonSuccess, probed } from '../../../probes/inferences.ts';
import { attempt } from '../../../probes/probe-answers.ts';
import type { RecordedExchange } from '../../../probes/recorded-exchange.ts';
import { unfitting } from './fitting.ts';
import { listsToWatch } from './list-change.ts';
import { countOf, idsOf, isSame, isSameSet, knownIdsOf, longestPage, sizeOf } from './lists.ts';
import { offsetUnit } from './offset-unit.ts';
import { pagesInDisorder } from './order.ts';
import { wholeListAnswers } from './whole-lists.ts';

const firstOfSeven = 'limit=7';
const nextOfSeven = { records: 'limit=7&offset=7', pages: 'limit=7&offset=1' };

/** Pages of seven, the first and the next in either unit of `offset`; and one with its parameters the other way round. */
export const relationQueries = {
  'page-of-seven': firstOfSeven,
  'page-of-seven-by-records': nextOfSeven.records,
  'page-of-seven-by-pages': nextOfSeven.pages,
  'parameter-order': 'offset=7&limit=7',
};

const smallerLimit: Inference = (evidence) => {
  const whole = longestPage(evidence);
  const pages = answersOf(evidence, 'listCustomers').filter(
    ({ parameters }) => [...parameters.keys()].join() === 'limit' && parameters.getAll('limit').length === 1,
  );
  const shorter = pages.filter((page) => countOf(page) > 0 && countOf(page) < countOf(whole));
  if (!whole || shorter.length === 0)
    return unknown('no two pages of another length begin at the same place');
  const wrong = shorter.find((page) => !isSame(idsOf(page), idsOf(whole, countOf(page))));
  return wrong ? unfitting(evidence, 'no', whole, wrong) : likely('yes', whole, ...shorter.slice(0, 2));
};

/** The first two pages of seven, and what the longest page shows in their place. */
interface TwoPages {
  whole: RecordedExchange;
  pages: [RecordedExchange, RecordedExchange];
  expected: string[];
}

/** Both pages, or why nothing can be inferred from them. */
function twoPages(evidence: Evidence): TwoPages | InferredAnswer {
  const { answer: unit } = offsetUnit(evidence);
  const [whole, first] = [longestPage(evidence), evidence.asked('listCustomers', firstOfSeven)];
  if (!first) return unknown(evidence.notAskedReason);
  if (unit !== 'records' && unit !== 'pages') return unknown(notFollowed[unit] ?? unitUnknown, first);
  const next = evidence.asked('listCustomers', nextOfSeven[unit]);
  if (!whole || !next) return unknown(evidence.notAskedReason);
  const rejected = describeNonSuccess(first);
  if (rejected) return rejected;
  if (countOf(first) > 7) return unknown('`limit` has no effect', first);
  if (countOf(whole) < 8) return unknown(tooFew, whole);
  const nonSuccess = describeNonSuccess(next);
  if (nonSuccess) return nonSuccess;
  return { whole, pages: [first, next], expected: idsOf(whole, 14) };
}

const tooFew = 'there are too few customers to infer this from';
const unitUnknown = 'it is not known what `offset` counts';
const fromOne = 'the next page of seven was not requested, since `offset` counts from 1';
const notFollowed: Record<string, string> = {
  nothing: '`offset` has no effect',
  'records from 1': fromOne,
  'pages from 1': fromOne,
};

const isAnswer = (found: TwoPages | InferredAnswer): found is InferredAnswer => 'answer' in found;

const nextPage: Inference = (evidence) => {
  const found = twoPages(evidence);
  if (isAnswer(found)) return found;
  const { whole, pages, expected } = found;
  const ids = pages.flatMap((page) => idsOf(page));
  const lost = expected.some((id) => !ids.includes(id));
  const twice = ids.length - sizeOf(ids) > expected.length - sizeOf(expected);
  if (!lost && !twice) return likely('yes', ...pages, whole);
  const answer =
    lost && twice
      ? 'customers are lost, others come twice'
      : lost
        ? 'customers are lost'
        : 'customers come twice';
  return unfitting(evidence, answer, ...pages, whole);
};

/** Pages of twenty and of a hundred from the beginning show the customers that pages of seven show. */
const sameUnion: Inference = (evidence) => {
  const found = twoPages(evidence);
  if (isAnswer(found)) return found;
  const { pages } = found;
  const ids = pages.flatMap((page) => idsOf(page));
  const longer = ['limit=20', 'limit=100'].flatMap((query) => evidence.asked('listCustomers', query) ?? []);
  const answered = longer.filter((page) => countOf(page) >= 7);
  if (answered.length === 0) return unknown('there are no longer pages to compare with', ...pages);
  const wrong = answered.find((page) => !isSameSet(ids, idsOf(page, 14)));
  return wrong ? unfitting(evidence, 'no', ...pages, wrong) : likely('yes', ...pages, ...answered);
};

const customerTwice: Inference = (evidence) => {
  const pages = answersOf(evidence, 'listCustomers').filter((page) => countOf(page) > 0);
  if (pages.length === 0) return unknown('no customer was listed');
  const wrong = pages.find((page) => knownIdsOf(page).length > sizeOf(knownIdsOf(page)));
  if (wrong) return certain('yes', wrong);
  // One that has no identity may be any other.
  for (const page of pages) idsOf(page);
  return likely('no', ...pages.slice(0, 1));
};

const parameterOrder: Inference = (evidence) => {
  const usual = evidence.asked('listCustomers', nextOfSeven.records);
  if (!usual) return unknown(evidence.notAskedReason);
  // Beyond the end either order may be rejected.
  if (countOf(usual) === 0) return unknown(tooFew, usual);
  return orderMatters(usual)(evidence);
};

const orderMatters = (usual: RecordedExchange) =>
  probed('parameter-order', (recorded, evidence) => {
    if (isSame(idsOf(usual), idsOf(recorded))) return certain('it does not matter', recorded, usual);
    return unfitting(evidence, 'it matters', recorded, usual);
  });

/** How the questions about what several pages show together are answered. */
export const relationAnswers: Record<string, Inference> = {
  'smaller-limit': smallerLimit,
  'next-page': nextPage,
  'same-union': sameUnion,
  'customer-twice': customerTwice,
  'parameter-order': parameterOrder,
  ...wholeListAnswers,
};

const fits = ['yes', 'unknown', 'it does not matter', 'no total is announced'];
const guarded = [
  'smaller-limit',
  'next-page',
  'same-union',
  'parameter-order',
  'sources-union',
  'total-matches',
];

/** The lists to ask for again: one to know of a change, and pages that do not fit together. */
export function listsToAskAgain(evidence: Evidence): RecordedExchange[] {
  const isFitting = (id: string) => {
    const infer = relationAnswers[id];
    return !infer || fits.includes(attempt(infer, evidence).answer);
  };
  const queries = guarded.every(isFitting) ? [] : [firstOfSeven, nextOfSeven.records, nextOfSeven.pages];
  const pages = queries.flatMap((query) => evidence.asked('listCustomers', query) ?? []);
  return [...pagesInDisorder(evidence), ...listsToWatch(evidence), ...pages]
    .filter((page, index, all) => page.outcome.kind === 'answered' && all.indexOf(page) === index)
    .slice(0, maxAskedAgain);
}

/** How many lists are requested again, at most. */
export const maxAskedAgain = 6;
