import { isObject, valueAt } from '../../schemas/json.ts';
import { type Answered, certain, type Evidence, type Inference, likely, unknown } from './evidence.ts';
import type { Heard } from './heard.ts';

/** What became of a request; `words` say it for all but an answer. */
interface Outcome {
  kind: 'silent' | 'failed' | 'refused' | 'redirected' | 'answered';
  words: string;
}

/**
 * Reads an answer whose form nobody has promised. An error code in the body goes before any HTTP status but 5xx, so
 * that a refusal is told apart from the form it comes in.
 */
export function outcomeOf({ answer, body }: Heard): Outcome {
  if ('blocked' in answer) return { kind: 'silent', words: 'no answer' };
  const code = answer.status >= 500 ? answer.status : (errorCodeOf(body) ?? answer.status);
  if (code >= 500 && code <= 599) return { kind: 'failed', words: `server error ${code}` };
  if (code >= 400) return { kind: 'refused', words: `refused as ${code}` };
  if (code !== 200) return { kind: 'redirected', words: `answered HTTP ${code}` };
  if (isSuccess(body)) return { kind: 'answered', words: 'answered' };
  return { kind: 'refused', words: 'refused as 200' };
}

/** A code of an error, as long as codes are: not an identifier that has strayed into its place. */
function errorCodeOf(body: unknown): number | undefined {
  const code = valueAt(body, '/code');
  return typeof code === 'number' && Number.isInteger(code) && code >= 400 && code < 1e6 ? code : undefined;
}

const isSuccess = (body: unknown) => valueAt(body, '/code') === 200 || isObject(valueAt(body, '/data'));

/** Everything of an operation that was answered with a success. */
export const answersOf = ({ heard }: Evidence, operation: string) =>
  heard.filter((one) => one.operation === operation && outcomeOf(one).kind === 'answered');

/** Reads the answer to the probe that is named like the question; what is no success speaks for itself. */
export function probed(id: string, read: (heard: Heard, evidence: Evidence) => Answered): Inference {
  return (evidence) => {
    const heard = evidence.probe(id);
    if (!heard) return unknown(evidence.gap);
    return plainly(heard) ?? read(heard, evidence);
  };
}

/** What there is to say of an answer that is no success. */
export function plainly(heard: Heard): Answered | undefined {
  const { kind, words } = outcomeOf(heard);
  if (kind === 'answered') return undefined;
  return kind === 'silent' ? likely(words, heard) : certain(words, heard);
}
