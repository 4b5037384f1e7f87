import { tallyOf } from '../../../probes/answers/values.ts';
import { type Inference, likely, sampleEvidence, unknown } from '../../../probes/evidence.ts';
import { withCard } from './forms.ts';

/** For each type of token: whether all, some or none of them carry a card. */
export const presence: Inference = (evidence) => {
  const { total, counts } = tallyOf('credit-card-presence', evidence);
  if (total === 0) return unknown('no payment token was seen');
  const types = new Set([...counts.keys()].map((form) => form.replace(withCard, '')));
  const answer = [...types].sort().map((type) => `${type} ${howMany(counts, type)}`);
  return { ...likely(answer.join(', ')), evidence: [sampleEvidence(total, 'payment tokens')] };
};

function howMany(counts: Map<string, number>, type: string): string {
  if (!counts.has(type + withCard)) return 'never';
  return counts.has(type) ? 'sometimes' : 'always';
}
