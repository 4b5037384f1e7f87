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

/** Group of error responses of one operation. The bodies have the same form (contract section 7). */
export interface ErrorResponses {
  operation: string;
  statuses: number[];
  /** Form of the bodies: "JSON of `code` integer" or "an HTML page". */
  body: string;
  /** Number of distinct requests that got a response of this group. */
  responses: number;
}

const getErrorForm = ({ content }: Observation): string => content?.error?.body ?? '';

/** Returns whether HTTP 2xx without an error code counts as a rejection, such as an HTML page with HTTP 200. */
export const isRejectedWithOkStatus = ({ content, status = 0 }: Observation): boolean =>
  isOk(status) && content?.error?.label === `refused as ${status}`;

const selectErrorResponses = ({ responses }: Evidence): Observation[] =>
  responses.filter(isRejection).sort(compareRequests);

function isRejection(observation: Observation): boolean {
  const { kind, error } = observation.content ?? {};
  if (!kind || !error || !isClientFault(kind)) return false;
  // HTTP 200 without JSON may be a login page of a proxy, not a response of the target.
  const mayBeLoginPage = isRejectedWithOkStatus(observation) && !error.body.startsWith('JSON of ');
  return !mayBeLoginPage;
}

/** Groups rejections, such as HTTP 404, by operation and form of body. */
export function summarizeErrorResponses(evidence: Evidence): ErrorResponses[] {
  const errors = selectErrorResponses(evidence).filter(({ operation }) => operation !== '');
  const groups = groupBy(errors, (error) => `${error.operation} ${getErrorForm(error)}`);
  return [...groups.values()].map(summarizeGroup);
}

function summarizeGroup(errors: [Observation, ...Observation[]]): ErrorResponses {
  const [firstError] = errors;
  const statuses = new Set(errors.map(({ status }) => status ?? 0));
  return {
    operation: firstError.operation,
    statuses: [...statuses].sort((a, b) => a - b),
    body: getErrorForm(firstError),
    responses: errors.length,
  };
}

/** Lists the forms of rejections: "HTTP 4xx with JSON of `code` integer" (contract section 7). */
export const listErrorForms: Inference = (evidence) => {
  // A run without probes has fewer rejected requests. Its shorter list of forms would look like a change of the target.
  const wereProbesSent = evidence.findProbeResponse('unknown-card') !== undefined;
  if (!wereProbesSent) return createUnknownAnswer(evidence.notSentReason);
  const errors = selectErrorResponses(evidence);
  if (errors.length === 0) return createUnknownAnswer('no request was rejected');
  const exampleByForm = new Map<string, Observation>();
  for (const error of errors) {
    const form = formatForm(error);
    if (!exampleByForm.has(form)) exampleByForm.set(form, error);
  }
  const forms = [...exampleByForm.keys()].sort();
  const examples = forms.map((form) => exampleByForm.get(form) as Observation);
  return createLikelyAnswer(forms.join('; '), ...examples);
};

function formatForm(error: Observation): string {
  const status = String(error.status).replace(/^4..$/, '4xx');
  return `HTTP ${status} with ${getErrorForm(error)}`;
}
