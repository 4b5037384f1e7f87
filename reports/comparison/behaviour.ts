import type { Question } from '../../schemas/contract/questions.ts';
import { isTransientAnswer } from '../../tests/probes/digest/outcome.ts';
import { mayBeSame, notReached, sampleSizeOf } from '../../tests/probes/evidence.ts';
import type { Conformance } from '../conformance.ts';
import type { Found, Runs } from './compare-runs.ts';

type Behaviour = Conformance['observed'][number];

/** Open questions that two targets answer in different ways. What a run could not find out is undecided. */
export function compareBehaviour([first, second]: Runs, questions: Question[]): Found[] {
  const known = new Map(questions.map((question) => [question.id, question]));
  const answers = new Map(second.observed.map((one) => [one.id, one]));
  return first.observed.flatMap((one): Found[] => {
    const other = answers.get(one.id);
    if (!other || one.answer === other.answer || (!isKnown(one) && !isKnown(other))) return [];
    return [
      {
        certain: isKnown(one) && isKnown(other) && isChange(one, other, known.get(one.id)),
        difference: { id: one.id, statement: one.question, sides: [one.answer, other.answer] },
      },
    ];
  });
}

/** Answers that are due to a bad moment or a short list say nothing of the target. */
const isKnown = ({ confidence, answer }: Behaviour) =>
  confidence !== 'unknown' && answer !== notReached && !isTransientAnswer(answer);

/**
 * Two lists with an item in common are of one target that was seen more or less of. Values that happened to be seen
 * must be many before it means something that none of them is the same.
 */
function isChange(one: Behaviour, other: Behaviour, question: Question | undefined): boolean {
  if (question?.records || mayBeSame(one.answer, other.answer)) return false;
  const items = new Set(itemsOf(one));
  if (itemsOf(other).some((item) => items.has(item))) return false;
  return !question?.grows || Math.min(sampleSizeOf(one), sampleSizeOf(other)) >= 10;
}

const itemsOf = ({ answer }: Behaviour) => answer.split(/, |; /);
