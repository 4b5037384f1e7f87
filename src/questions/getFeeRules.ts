import type { Digest } from './digest.ts';
import { certain, type Evidence, type InferredAnswer, unknown } from './evidence.ts';

/** Distinguishes lists of rules; empty where there are none. */
const rulesIn = (digest: Digest | undefined) => digest?.lists.fee_rules?.ids.join() ?? '';

/** How fee rules compare to those of the business. */
export function comparedRules(digest: Digest, { asked }: Evidence): InferredAnswer {
  const business = asked('getFeeRules?type=business');
  const [own, others] = [rulesIn(digest), rulesIn(business)];
  if (business?.kind !== 'success' || others === '')
    return unknown('there are no rules of the business to compare with', digest);
  const user = encodeURIComponent(digest.parameters.get('user_id') ?? '');
  const named = asked(`getFeeRules?type=user&user_id=${user}`);
  const isOfBusiness = digest.parameters.get('type') === 'business' && named?.kind === 'success';
  if (own !== '' && own !== others) return certain('other rules', digest);
  if (isOfBusiness && ['', others].includes(rulesIn(named)))
    return unknown('the user has no other rules, which would show whose are meant', digest, named);
  return certain(own === '' ? 'an empty list' : 'the rules of the business', digest);
}
