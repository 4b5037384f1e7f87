import { concludeContradiction } from './conclude.ts';
import type { AskAgain, Doubt, RelationResult } from './doubt.ts';
import { comparePlanOf, otherOnPage, sameOnPage } from './pages-again.ts';
import type { Conflict, RunSightings } from './sightings-of-run.ts';

/** Two records with one key: they are requested again, the page that showed the first one last. */
export function conflictDoubt<Source>(
  { relations }: RunSightings<Source>,
  conflict: Conflict<Source>,
): Doubt<Source> {
  const { rule, before, first, second } = conflict;
  const { check } = rule;
  const plan = comparePlanOf(relations, rule.operation.id, check.unique);
  const confirm = async (ask: AskAgain<Source>): Promise<RelationResult<Source>> => {
    const other = await ask(second);
    const same = first === second ? other : await ask(first);
    const between = otherOnPage(plan, check, conflict, other);
    const after = sameOnPage(plan, check, conflict, same);
    const conclusion = concludeContradiction(before, between.shown, after.shown);
    const pointers = { first: after.pointer ?? plan.key, second: between.pointer ?? plan.key };
    const sent = first === second ? [second, second] : [first, second, second, first];
    return { rule, second, conclusion, count: 1, contradiction: { first, pointers, sent } };
  };
  return { rule, second, cost: first === second ? 1 : 2, confirm };
}
