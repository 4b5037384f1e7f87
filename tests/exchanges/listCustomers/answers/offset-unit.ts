import {
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  likely,
  unknown,
} from '../../../probes/evidence.ts';
import { describeNonSuccess } from '../../../probes/inferences.ts';
import type { RecordedExchange } from '../../../probes/recorded-exchange.ts';
import { listChange } from './list-change.ts';
import {
  countOf,
  identitiesOf,
  idsOf,
  limitOf,
  longestPage,
  pagesOf,
  plainList,
  population,
} from './lists.ts';
import { orderStability } from './order.ts';

/** What `offset` counts. */
export const offsetUnit: Inference = (evidence) => {
  const [page, moved] = [plainList(evidence), evidence.asked('listCustomers', 'offset=1')];
  if (!page || !moved) return unknown(evidence.notAskedReason);
  if (countOf(page) < 2)
    return describeNonSuccess(page) ?? unknown('a page holds less than two customers', page);
  const nonSuccess = describeNonSuccess(moved);
  if (nonSuccess && population(evidence) === countOf(page))
    return unknown('a second page need not exist', page, moved);
  return nonSuccess ?? listChange(evidence) ?? unitOf(evidence, page, moved);
};

function unitOf(evidence: Evidence, page: RecordedExchange, moved: RecordedExchange): InferredAnswer {
  const recorded = [page, moved];
  const [[begin, next], [first]] = [identitiesOf(page), idsOf(moved, 1)];
  // The moved page may be empty when one page was all.
  if (first === undefined) return likely('pages', ...recorded);
  if (first === begin) return unitElsewhere(evidence, page) ?? certain('nothing', ...recorded);
  if (first === next) return certain('records', ...recorded);
  return idsOf(page).includes(first) || orderStability(evidence).answer === 'no'
    ? unknown('the order of the list has changed', ...recorded)
    : certain('pages', ...recorded);
}

/** What `offset` counts where it makes no difference whether it is 1; undefined where it makes none anywhere. */
function unitElsewhere(evidence: Evidence, page: RecordedExchange): InferredAnswer | undefined {
  const [begin] = identitiesOf(page);
  const others = pagesOf(evidence).filter((one) => offsetOf(one) > 1 && identitiesOf(one)[0] !== begin);
  const rejected = evidence.recorded.filter(isRejectedPage);
  if (others.length + rejected.length === 0) return undefined;
  const whole = identitiesOf(longestPage(evidence));
  for (const one of others.filter((other) => limitOf(other) > 1)) {
    const place = whole.indexOf(identitiesOf(one)[0] || '\0');
    const [unit] = Object.entries(placesAt(offsetOf(one), limitOf(one))).find(([, at]) => at === place) ?? [];
    if (unit) return likely(unit, page, one);
  }
  return unknown(
    '`offset` has an effect, but none between 0 and 1',
    page,
    ...[...others, ...rejected].slice(0, 1),
  );
}

/** Of a list without pages none is behind its end. */
const isRejectedPage = (one: RecordedExchange) =>
  one.operation === 'listCustomers' && one.outcome.kind === 'rejected' && offsetOf(one) > 1;

const offsetOf = ({ parameters }: RecordedExchange) => Number(parameters.get('offset'));

/** Where a page begins, by what `offset` may count. */
const placesAt = (offset: number, limit: number): Record<string, number> => ({
  records: offset,
  'records from 1': offset - 1,
  'pages from 1': (offset - 1) * limit,
});
