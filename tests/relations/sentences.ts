import { lastStep } from '../../schemas/contract/check-validation.ts';
import type { Relation } from '../../schemas/contract/contract.ts';
import type { Observation } from '../redaction/observation.ts';
import type { Unique } from './relation-rules.ts';

/** What is said of a contradiction: what was expected, and what either response shows. Nothing of a value. */
interface Sentences {
  expected: string;
  actual: string;
  against: string;
}

/** Describes a contradiction. @param second the observation of the response that the rule is about */
export function sentencesOf(
  check: Relation,
  { status, response }: Pick<Observation, 'status' | 'response'>,
): Sentences {
  if ('unique' in check) return sentencesOfUnique(check);
  if ('constant' in check) return sentencesOfConstant;
  const listed = `that ${check.listedBy} shows`;
  if ('found' in check) {
    const actual = `HTTP ${status}${response === 'success' ? ' with an error code' : ''}`;
    return { expected: `the record ${listed}`, actual, against: 'the record is listed' };
  }
  if ('same' in check) {
    const name = lastStep(check.same);
    return { expected: `the ${name} ${listed}`, actual: `another ${name}`, against: `a ${name}` };
  }
  const actual = 'present in only one of the two responses';
  const expected = `${lastStep(check.presentAs)} present or absent, as ${check.listedBy} shows`;
  return { expected, actual, against: actual };
}

function sentencesOfUnique(check: Unique): Sentences {
  const [key, name] = [lastStep(check.unique), check.named];
  const actual = `another ${name} for the same ${key}`;
  return { expected: `one ${name} for each ${key}`, actual, against: `a ${name} for this ${key}` };
}

const sentencesOfConstant: Sentences = {
  expected: 'the same value whenever it is requested',
  actual: 'a value that changes again and again',
  against: 'the value of the first response',
};
