import { isObject, valueAt } from '../../../schemas/json.ts';
import { quote } from '../../client/drafts.ts';

/** What became of a request; `words` say it for all but an answer. */
export interface Outcome {
  kind: 'silent' | 'unreadable' | 'failed' | 'refused' | 'redirected' | 'answered';
  words: string;
}

/**
 * Reads an answer whose form nobody has promised. An error code in the body goes before any HTTP status but 5xx, so
 * that a refusal is told apart from the form it comes in.
 */
export function outcomeOfAnswer(status: number, body: unknown): Outcome {
  const code = status >= 500 ? status : (errorCodeOf(body) ?? status);
  if (code >= 500 && code <= 599) return { kind: 'failed', words: `server error ${code}` };
  if (code >= 400) return { kind: 'refused', words: `refused as ${quote(String(code), '(code withheld)')}` };
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
