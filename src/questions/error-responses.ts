import { groupBy } from '../../schemas/group-by.ts';
import { isClientFault, isOk } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import {
  compareRequests,
  createLikelyAnswer,
  createUnknownAnswer,
  type Evidence,
  type Inference,
  sortUnique,
} from './evidence.ts';

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

/** Returns whether a 2xx response without an error code in its body counts as rejected: an HTML page, or `{ "success": false }`. */
export const isRejectedWithOkStatus = ({ content, status = 0 }: Observation): boolean =>
  isOk(status) && content?.error?.label === `refused as ${status}`;

/** Selects the responses that reject a request, sorted by request line. Leaves out web pages with HTTP 200, such as login pages. */
function selectErrorResponses({ responses }: Pick<Evidence, 'responses'>): ErrorResponse[] {
  const errorResponses: ErrorResponse[] = [];
  for (const observation of responses) {
    const { kind, error } = observation.content ?? {};
    if (!kind || !error || !isClientFault(kind)) continue;
    const isJson = error.body.startsWith('JSON of ');
    const isWebPage = isRejectedWithOkStatus(observation) && !isJson;
    if (!isWebPage) errorResponses.push({ observation, body: error.body });
  }
  return errorResponses.sort((a, b) => compareRequests(a.observation, b.observation));
}

export function summarizeErrorResponses(evidence: Pick<Evidence, 'responses'>): ErrorResponses[] {
  const errors = selectErrorResponses(evidence).filter(({ observation }) => observation.operation !== '');
  const groups = groupBy(errors, ({ observation, body }) => `${observation.operation} ${body}`);
  return [...groups.values()].map((group) => {
    const [{ observation, body }] = group;
    const statuses = new Set(group.map(({ observation: { status = 0 } }) => status));
    const sortedStatuses = [...statuses].sort((a, b) => a - b);
    return { operation: observation.operation, statuses: sortedStatuses, body, responses: group.length };
  });
}

/**
 * Lists the forms of error responses (contract section 7), such as "HTTP 4xx with JSON of `code` integer". Unknown without probes:
 * fewer requests are then rejected, and a shorter list would look like a change of the target.
 */
export const listErrorForms: Inference = (evidence) => {
  const wereProbesSent = evidence.findProbeResponse('unknown-card') !== undefined;
  if (!wereProbesSent) return createUnknownAnswer(evidence.notSentReason);
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
