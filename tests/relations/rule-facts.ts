import { isDoubt, type RelationResult } from './doubt.ts';
import type { RelationRule } from './relation-rules.ts';

/** What all results of a rule say together. */
export interface RuleFacts {
  /** Whether it was judged by a response that no other contradicts. */
  isJudged: boolean;
  isBroken: boolean;
  /** Contradictions that were requested again, and how many of them stay undecided. */
  asked: number;
  undecided: number;
}

const none: RuleFacts = { isJudged: false, isBroken: false, asked: 0, undecided: 0 };

/**
 * Looks at each result once: a target decides how many there are.
 * @param isJudged whether the rules were judged before, by other results
 */
export function ruleFacts(
  results: RelationResult<unknown>[],
  isJudged = false,
): (rule: RelationRule) => RuleFacts {
  const first = { ...none, isJudged };
  const all = new Map<RelationRule, RuleFacts>();
  for (const result of results) all.set(result.rule, withResult(all.get(result.rule) ?? first, result));
  return (rule) => all.get(rule) ?? first;
}

function withResult(facts: RuleFacts, result: RelationResult<unknown>): RuleFacts {
  const isAsked = result.contradiction !== undefined;
  const isUndecided = typeof result.conclusion === 'object';
  return {
    isJudged: facts.isJudged || !isDoubt(result),
    isBroken: facts.isBroken || result.conclusion === 'broken',
    asked: facts.asked + (isAsked ? 1 : 0),
    undecided: facts.undecided + (isAsked && isUndecided ? 1 : 0),
  };
}
