import { isOk } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { createLikelyAnswer, createUnknownAnswer, type Evidence, type Inference } from './evidence.ts';
import { compareRequests, sortUnique } from './sorting.ts';

/** Error responses of an operation whose bodies have the same form. The contract (section 7) does not describe this form. */
export interface ErrorResponses {
  operation: string;
  statuses: number[];
  /** Form of all bodies: fields and types such as "JSON of `code` integer", or "an HTML page". */
  body: string;
  /** Number of responses with this form. A repeated request counts once. */
  responses: number;
}

interface ErrorResponse {
  observation: Observation;
  body: string;
}

/** Returns whether a response has a 2xx status, but counts as rejected: its body is an HTML page, or an error without error code. */
export const isRejectedWithOkStatus = ({ content, status = 0 }: Observation): boolean =>
  isOk(status) && content?.error?.label === `refused as ${status}`;

/** Selects the responses that reject a request, sorted by request line. Leaves out web pages with HTTP 200, such as login pages. */
function selectErrorResponses({ responses }: Pick<Evidence, 'responses'>): ErrorResponse[] {
  const errorResponses: ErrorResponse[] = [];
  for (const observation of responses) {
    const { label = '', body = '' } = observation.content?.error ?? {};
    const isWebPage = isRejectedWithOkStatus(observation) && !body.includes('JSON');
    if (label.startsWith('refused') && !isWebPage) errorResponses.push({ observation, body });
  }
  return errorResponses.sort((a, b) => compareRequests(a.observation, b.observation));
}

export function summarizeErrorResponses(evidence: Pick<Evidence, 'responses'>): ErrorResponses[] {
  const summaryByForm = new Map<string, ErrorResponses>();
  for (const { observation, body } of selectErrorResponses(evidence)) {
    const { operation, status = 0 } = observation;
    if (operation === '') continue;
    const form = operation + body;
    const summary = summaryByForm.get(form) ?? { operation, statuses: [], body, responses: 0 };
    const statuses = [...new Set([...summary.statuses, status])].sort((a, b) => a - b);
    summaryByForm.set(form, { ...summary, statuses, responses: summary.responses + 1 });
  }
  return [...summaryByForm.values()];
}

/**
 * Lists the forms of error responses (contract section 7), such as "HTTP 4xx with JSON of `code` integer". Unknown without probes:
 * fewer requests are then rejected, and a shorter list would look like a change of the target.
 */
export const listErrorForms: Inference = (evidence) => {
  if (!evidence.findProbeResponse('unknown-card')) return createUnknownAnswer(evidence.notSentReason);
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
