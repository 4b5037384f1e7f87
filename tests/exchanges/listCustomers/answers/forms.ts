import { isObjectOrArray } from '../../../../schemas/json/read.ts';
import { maxFormLength } from '../../../probes/digest/tallied-values.ts';
import { readsLikeWord } from '../../../redaction/describe-value.ts';
import { quote } from '../../../redaction/drafts.ts';

/** How much of a card number is shown: counts of digits only. */
export function numberForm(value: unknown): string {
  if (typeof value !== 'string' || value.length > maxFormLength) return 'another form';
  const plain = value.replace(/[ -]/g, '');
  if (/^\d{8,19}$/.test(plain)) return 'not masked';
  const [, before, after] = /^(\d*)[*xX•#.]+(\d*)$/.exec(plain) ?? [];
  if (before === undefined || after === undefined) return 'another form';
  return before ? `first ${before.length} and last ${after.length} digits` : `last ${after.length} digits`;
}

/** The type of a token, and whether it carries a card. */
export function tokenForm(value: unknown): string {
  if (!isObjectOrArray(value)) return 'no token';
  const type = Object.hasOwn(value, 'token_type') ? value.token_type : undefined;
  const carries = Object.hasOwn(value, 'credit_card') && isObjectOrArray(value.credit_card);
  const shown = typeof type === 'string' && readsLikeWord(type) ? quote(type, otherToken) : otherToken;
  return `${shown}${carries ? withCard : ''}`;
}

const otherToken = 'another type';
/** Ends what is said of a token that carries a card. */
export const withCard = ' with card';
