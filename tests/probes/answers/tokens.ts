import { isObject } from '../../../schemas/json.ts';
import { describeValue, isWord } from '../../client/redaction.ts';
import { type Inference, likely, unknown } from '../evidence.ts';
import { listing, ofCustomers, valuesAt } from './values.ts';

const token = '/default_payment_token';

/** How much of a card number is shown: counts of digits only. */
function numberForm(value: unknown): string {
  if (typeof value !== 'string') return 'another form';
  const plain = value.replace(/[ -]/g, '');
  if (/^\d{8,19}$/.test(plain)) return 'not masked';
  const [, before, after] = /^(\d*)[*xX•#.]+(\d*)$/.exec(plain) ?? [];
  if (before === undefined || after === undefined) return 'another form';
  return before ? `first ${before.length} and last ${after.length} digits` : `last ${after.length} digits`;
}

/** For each type of token: whether all, some or none of them carry a card. */
const presence: Inference = (evidence) => {
  const tokens = ofCustomers(token)
    .flatMap((place) => valuesAt(evidence, place))
    .filter(isObject);
  if (tokens.length === 0) return unknown('no payment token was seen');
  const types = [...new Set(tokens.map(typeOf))].sort();
  const answer = types.map((type) => `${type} ${howMany(tokens.filter((one) => typeOf(one) === type))}`);
  return { ...likely(answer.join(', ')), evidence: [`${tokens.length} payment tokens`] };
};

const typeOf = ({ token_type: type }: Record<string, unknown>) =>
  typeof type === 'string' && isWord(type) ? type : 'another type';

function howMany(tokens: Record<string, unknown>[]): string {
  const carrying = tokens.filter((one) => isObject(one.credit_card)).length;
  return carrying === 0 ? 'never' : carrying === tokens.length ? 'always' : 'sometimes';
}

const word = (value: unknown) => (typeof value === 'string' && isWord(value) ? value : describeValue(value));

export const tokens: Record<string, Inference> = {
  'token-states': listing(ofCustomers(`${token}/state`), word),
  'default-flag': listing(ofCustomers(`${token}/default`), (value) =>
    typeof value === 'boolean' ? String(value) : describeValue(value),
  ),
  'credit-card-presence': presence,
  'card-number-form': listing(ofCustomers(`${token}/credit_card/number`), numberForm),
};
