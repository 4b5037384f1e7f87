import type { Operation, Rule } from '../../../schemas/contract/contract.ts';
import { ruleAddress } from '../../../schemas/contract/requirements.ts';
import { below } from '../../../schemas/json/pointer.ts';
import type { Violation } from '../../../schemas/judge/judgement.ts';
import type { SweptList } from '../../exchanges/session.ts';
import type { Unique } from '../../relations/relation-rules.ts';
import { sentencesOf } from '../../relations/sentences.ts';

/** The rule that what identifies the records of a list names one of them, if there is one. */
export interface UniqueRule {
  address: string;
  check: Unique;
}

/** The rule about the key of a list that is swept. */
export function uniqueRuleOf(operation: Operation, { pointer, key }: SweptList): UniqueRule | undefined {
  const isOwn = ({ check }: Rule) => 'unique' in check && check.unique === `${pointer}/*/${key}`;
  const rule = operation.rules.find(isOwn);
  return rule && 'unique' in rule.check
    ? { address: ruleAddress(operation.id, rule), check: rule.check }
    : undefined;
}

/** That a record shares what identifies it. */
export function twinViolation(
  { address, check }: UniqueRule,
  { pointer, key }: SweptList,
  index: number,
): Violation {
  const { expected, actual } = sentencesOf(check, {});
  const place = `${pointer}/*/${key}`;
  return {
    requirement: address,
    pointer: below(`${pointer}/${index}`, key),
    place,
    expected,
    value: undefined,
    actual,
  };
}
