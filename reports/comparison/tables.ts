import { verdicts } from '../../tests/verdict/verdicts.ts';
import { type Conformance, withVerdict } from '../conformance.ts';
import { minute } from '../moments.ts';
import { observedLine } from '../observed.ts';
import { type Comparison, type Difference, type Differences, undecidedCount } from './compare-runs.ts';

/** A table of a comparison: a column for each run. */
export interface ComparisonTable {
  id: string;
  title: string;
  rows: Difference[];
}

/** Facts of both runs, one below the other. */
export function factsOf({ runs: [first, second] }: Comparison): ComparisonTable {
  const row = (id: string, fact: (run: Conformance) => string): Difference => ({
    id,
    statement: '',
    sides: [fact(first), fact(second)],
  });
  const rows = [
    row('target', ({ target }) => target),
    row('verdict', ({ verdict }) => verdict),
    row('run', ({ startedAt }) => minute(startedAt)),
    row('profile', ({ profile }) => profile),
    row('contract', ({ contract }) => contract),
    row('requests', ({ requests }) => String(requests)),
    ...verdicts.map((verdict) =>
      row(`requirements: ${verdict}`, (run) => String(withVerdict(run, verdict).length)),
    ),
    row('schema nodes seen', ({ coverage }) => shareOf(coverage.nodes)),
    row('values and states seen', ({ coverage }) => shareOf(coverage.states)),
    row('open questions', observedLine),
  ];
  return { id: 'runs', title: 'The runs', rows };
}

const shareOf = ({ percentage, exercised, total }: Conformance['coverage']['nodes']) =>
  `${percentage} % (${exercised} of ${total})`;

/** What differs between the targets. */
export const differenceTables = ({ differences }: Comparison) => tablesOf(differences, '');

/** What only one run could show, or what chance may explain. */
export const undecidedTables = ({ undecided }: Comparison) => tablesOf(undecided, 'undecided-');

/** What stands before the tables of what is undecided. */
export const undecidedText = (comparison: Comparison) =>
  `${undecidedCount(comparison)}: what only one run could show, or what was seen too rarely to mean something.`;

function tablesOf({ requirements, behaviour, seen }: Differences, prefix: string): ComparisonTable[] {
  return [
    { id: `${prefix}requirements`, title: 'Requirements with another verdict', rows: requirements },
    { id: `${prefix}behaviour`, title: 'Questions with another answer', rows: behaviour },
    { id: `${prefix}seen`, title: 'Fields and values that only one run saw', rows: seen },
  ].filter(({ rows }) => rows.length > 0);
}
