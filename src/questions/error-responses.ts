import { isOk } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import { type Evidence, type Inference, likely, unknown } from './evidence.ts';
import { compareRequests, sortUnique } from './sorting.ts';

/* Error responses, whose form the contract leaves open (contract section 7). */

/** Error responses of one operation whose bodies have the same form. */
export interface ErrorResponses {
  /** Id of the operation whose error responses are counted, such as `getCard`. */
  operation: string;
  /** Different HTTP statuses of error responses, in ascending order, such as `[400, 404]`. */
  statuses: number[];
  /** Form of the body of error responses, without its values: "JSON of `code` integer, `message` string". */
  body: string;
  /** Number of error responses, without those to repeated requests. */
  responses: number;
}

/** Error response, with the form of its body. */
interface ErrorResponse {
  observation: Observation;
  /** Form of the body of an error response, without its values: "JSON of `code` integer, `message` string". */
  body: string;
}

/**
 * Returns whether a response has a 2xx status and a body that is not of this API, such as an HTML page. `createContentReader` has
 * labelled it `refused as 200`.
 */
export const isOtherApi = ({ content, status = 0 }: Observation): boolean =>
  isOk(status) && content?.error?.label === `refused as ${status}`;

/**
 * Selects the error responses of a run, sorted by request line. Leaves out bodies with a 2xx status that are no JSON, such as HTML
 * pages.
 */
const selectErrorResponses = ({ recorded }: Pick<Evidence, 'recorded'>): ErrorResponse[] =>
  recorded
    .flatMap((observation) => {
      const { label = '', body = '' } = observation.content?.error ?? {};
      const isError = /^refused/.test(label) && (!isOtherApi(observation) || /JSON/.test(body));
      return isError ? { observation, body } : [];
    })
    .sort((a, b) => compareRequests(a.observation, b.observation));

/**
 * Summarizes the error responses of a run: an entry for each operation and form of the body. Leaves out responses to paths that
 * belong to no operation.
 */
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
 * Answers which forms error responses have (contract section 7): "HTTP 4xx with JSON of `code` integer". Unknown if no probe was
 * sent, because a run without probes shows fewer forms and would seem to have changed.
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

/** Formats status and form of an error response: "HTTP 4xx with JSON of `code` integer". Any 4xx counts as the same form. */
const formatForm = ({ observation: { status }, body }: ErrorResponse) =>
  `HTTP ${String(status).replace(/^4..$/, '4xx')} with ${body}`;
