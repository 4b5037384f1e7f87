import { isOk } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { createLikelyAnswer, createUnknownAnswer, type Evidence, type Inference } from './evidence.ts';
import { compareRequests, sortUnique } from './sorting.ts';

/** Error responses of one operation whose bodies have one form. The contract does not say how errors look (section 7). */
export interface ErrorResponses {
  operation: string;
  statuses: number[];
  /** Form of the bodies, such as "JSON of `code` integer". */
  body: string;
  /** Number of responses. A repeated request counts once. */
  responses: number;
}

interface ErrorResponse {
  observation: Observation;
  /** Form of the body, such as "JSON of `code` integer". */
  body: string;
}

/** Returns whether a response with a 2xx status is no success of this API: its body is an error, or for example an HTML page. */
export const hasOtherApiBody = ({ content, status = 0 }: Observation): boolean =>
  isOk(status) && content?.error?.label === `refused as ${status}`;

/** Selects the error responses of a run, sorted by request line. Leaves out a login page with HTTP 200. */
const selectErrorResponses = ({ responses }: Pick<Evidence, 'responses'>): ErrorResponse[] =>
  responses
    .flatMap((observation) => {
      const { label = '', body = '' } = observation.content?.error ?? {};
      const isJson = body.includes('JSON');
      const isPageOfOtherApi = hasOtherApiBody(observation) && !isJson;
      const isError = /^refused/.test(label) && !isPageOfOtherApi;
      return isError ? { observation, body } : [];
    })
    .sort((a, b) => compareRequests(a.observation, b.observation));

export function summarizeErrorResponses(evidence: Pick<Evidence, 'responses'>): ErrorResponses[] {
  const summaries = new Map<string, ErrorResponses>();
  for (const { observation, body } of selectErrorResponses(evidence)) {
    const { operation, status = 0 } = observation;
    if (operation === '') continue;
    const key = operation + body;
    const summary = summaries.get(key) ?? { operation, statuses: [], body, responses: 0 };
    const statuses = [...new Set([...summary.statuses, status])].sort((a, b) => a - b);
    summaries.set(key, { ...summary, statuses, responses: summary.responses + 1 });
  }
  return [...summaries.values()];
}

/**
 * Lists the forms of error responses (contract section 7), such as "HTTP 4xx with JSON of `code` integer". Unknown without
 * probes, because fewer error responses would look like a change.
 */
export const listErrorForms: Inference = (evidence) => {
  if (!evidence.findProbe('unknown-card')) return createUnknownAnswer(evidence.notSentReason);
  const errors = selectErrorResponses(evidence);
  if (errors.length === 0) return createUnknownAnswer('no request was rejected');
  const forms = sortUnique(errors.map(formatForm));
  const examples = forms.flatMap(
    (form) => errors.find((error) => formatForm(error) === form)?.observation ?? [],
  );
  return createLikelyAnswer(forms.join('; '), ...examples);
};

const formatForm = ({ observation: { status }, body }: ErrorResponse) =>
  `HTTP ${String(status).replace(/^4..$/, '4xx')} with ${body}`;
