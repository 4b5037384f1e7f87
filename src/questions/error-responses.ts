import { isOk } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { type Evidence, type Inference, likely, unknown } from './evidence.ts';
import { compareRequests, sortUnique } from './sorting.ts';

/* Error responses, whose form the contract leaves open (contract section 7). */

/** Error responses of one operation whose bodies have one form. */
export interface ErrorResponses {
  /** Id of the operation, such as `getCard`. */
  operation: string;
  /** HTTP statuses, in ascending order. */
  statuses: number[];
  /** Form of the body without its values: "JSON of `code` integer, `message` string". */
  body: string;
  /** Number of responses, without those to repeated requests. */
  responses: number;
}

/** Error response with the form of its body. */
interface ErrorResponse {
  observation: Observation;
  body: string;
}

/** Checks for a body that is not of this API, such as an HTML page, with a 2xx status: it counts as refused with that status. */
export const isForeign = ({ content, status = 0 }: Observation): boolean =>
  isOk(status) && content?.error?.label === `refused as ${status}`;

/** Selects the error responses, sorted by request line. A page with a 2xx status that is no JSON is no error response. */
const selectErrorResponses = ({ recorded }: Pick<Evidence, 'recorded'>): ErrorResponse[] =>
  recorded
    .flatMap((observation) => {
      const { label = '', body = '' } = observation.content?.error ?? {};
      const isError = /^refused/.test(label) && (!isForeign(observation) || /JSON/.test(body));
      return isError ? { observation, body } : [];
    })
    .sort((a, b) => compareRequests(a.observation, b.observation));

/** Summarizes the error responses of each operation, an entry for each form of their bodies. Leaves out paths of no operation. */
export function summarizeErrorResponses(evidence: Pick<Evidence, 'recorded'>): ErrorResponses[] {
  const summaries = new Map<string, ErrorResponses>();
  for (const { observation, body } of selectErrorResponses(evidence)) {
    const { operation, status = 0 } = observation;
    if (operation === '') continue;
    const { statuses, responses } = summaries.get(operation + body) ?? { statuses: [], responses: 0 };
    const allStatuses = [...new Set([...statuses, status])].sort((a, b) => a - b);
    summaries.set(operation + body, { operation, statuses: allStatuses, body, responses: responses + 1 });
  }
  return [...summaries.values()];
}

/**
 * Answers with the forms of error responses, such as "HTTP 4xx with JSON of `code` integer". Unknown without `PROBES`, because a
 * run without probes shows fewer forms and would seem to have changed.
 */
export const listErrorForms: Inference = (evidence) => {
  if (!evidence.probe('unknown-card')) return unknown(evidence.notAskedReason);
  const errors = selectErrorResponses(evidence);
  if (errors.length === 0) return unknown('no request was rejected');
  const forms = sortUnique(errors.map(formatForm));
  const examples = forms.flatMap(
    (form) => errors.find((error) => formatForm(error) === form)?.observation ?? [],
  );
  return likely(forms.join('; '), ...examples);
};

/** Formats status and body: "HTTP 4xx with JSON of `code` integer". Which 4xx it is, `label` of the error says. */
const formatForm = ({ observation: { status }, body }: ErrorResponse) =>
  `HTTP ${String(status).replace(/^4..$/, '4xx')} with ${body}`;
