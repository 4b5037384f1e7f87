import { groupBy } from '../../schemas/group-by.ts';
import { isClientFault, isOk } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import {
  compareRequests,
  createLikelyAnswer,
  createUnknownAnswer,
  type Evidence,
  type Inference,
} from './evidence.ts';

/** Error responses of one operation with bodies of the same form. The contract does not describe such bodies (section 7). */
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

/** Returns whether a 2xx response is a rejection without an error code in its body: an HTML page, or `{ "success": false }`. */
export const isRejectedWithOkStatus = ({ content, status = 0 }: Observation): boolean =>
  isOk(status) && content?.error?.label === `refused as ${status}`;

/** Selects the responses that reject a request, sorted by request line. Leaves out login pages, which a proxy may return as HTTP 200. */
function selectErrorResponses({ responses }: Pick<Evidence, 'responses'>): ErrorResponse[] {
  const errorResponses: ErrorResponse[] = [];
  for (const observation of responses) {
    const { kind, error } = observation.content ?? {};
    if (!kind || !error || !isClientFault(kind)) continue;
    // `body` describes the body, for example as "JSON of `code` integer".
    const isJson = error.body.startsWith('JSON of ');
    const isLoginPage = isRejectedWithOkStatus(observation) && !isJson;
    if (!isLoginPage) errorResponses.push({ observation, body: error.body });
  }
  return errorResponses.sort((a, b) => compareRequests(a.observation, b.observation));
}

/** Groups error responses that have the same operation and the same form of body. */
export function summarizeErrorResponses(evidence: Pick<Evidence, 'responses'>): ErrorResponses[] {
  const errors = selectErrorResponses(evidence).filter(({ observation }) => observation.operation !== '');
  const groups = groupBy(errors, ({ observation, body }) => `${observation.operation} ${body}`);
  return [...groups.values()].map(summarizeGroup);
}

function summarizeGroup(errors: [ErrorResponse, ...ErrorResponse[]]): ErrorResponses {
  const [firstError] = errors;
  const statuses = new Set(errors.map(({ observation }) => observation.status ?? 0));
  return {
    operation: firstError.observation.operation,
    statuses: [...statuses].sort((a, b) => a - b),
    body: firstError.body,
    responses: errors.length,
  };
}

/** Lists the forms of all error responses (contract section 7): "HTTP 200 with JSON of `code` integer; HTTP 4xx with an HTML page". */
export const listErrorForms: Inference = (evidence) => {
  // A run without probes has fewer rejected requests. Its shorter list of forms would look like a change of the target.
  const wereProbesSent = evidence.findProbeResponse('unknown-card') !== undefined;
  if (!wereProbesSent) return createUnknownAnswer(evidence.notSentReason);
  const errors = selectErrorResponses(evidence);
  if (errors.length === 0) return createUnknownAnswer('no request was rejected');
  const exampleByForm = new Map<string, Observation>();
  for (const error of errors) {
    const form = formatForm(error);
    if (!exampleByForm.has(form)) exampleByForm.set(form, error.observation);
  }
  const forms = [...exampleByForm.keys()].sort();
  const examples = forms.map((form) => exampleByForm.get(form) as Observation);
  return createLikelyAnswer(forms.join('; '), ...examples);
};

/** Describes an error response: "HTTP 4xx with JSON of `code` integer". All statuses from 400 to 499 are one form. */
function formatForm({ observation, body }: ErrorResponse): string {
  const status = String(observation.status).replace(/^4..$/, '4xx');
  return `HTTP ${status} with ${body}`;
}
