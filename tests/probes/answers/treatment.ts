import type { Disclosure } from '../../redaction/disclosure.ts';
import type { Digest } from '../digest/digest.ts';
import { maxFields } from '../digest/form.ts';
import { certain, type Evidence, type Inference, likely, unknown } from '../evidence.ts';
import { describeNonSuccess, probed } from '../inferences.ts';
import type { RecordedExchange } from '../recorded-exchange.ts';

/** Any answer with the status of a success counts here, since the question is which media type it has. */
export const accepted =
  (id: string): Inference =>
  (evidence) => {
    const recorded = evidence.probe(id);
    if (!recorded) return unknown(evidence.notAskedReason);
    const another = !/^application\/json\b/i.test(recorded.digest?.contentType ?? '');
    if (another && recorded.outcome.withoutCode) return certain('answered in another media type', recorded);
    return (
      describeNonSuccess(recorded) ??
      certain(another ? 'answered in another media type' : 'answered in JSON', recorded)
    );
  };

const noCredentials: Inference = (evidence) => {
  if (evidence.credentials)
    return probed('no-credentials', (recorded) => certain('answered', recorded))(evidence);
  const answered = evidence.recorded
    .filter(({ operation, outcome }) => operation && outcome.kind === 'answered')
    .sort(byRequest);
  if (answered.length > 0) return certain('answered', ...answered.slice(0, 1));
  return unknown('no credentials are configured, and nothing was answered');
};

/** Operations, and filters, are asked beside each other, in an order that depends on the responses. */
const byRequest = (one: RecordedExchange, other: RecordedExchange) =>
  one.exchange.localeCompare(other.exchange);

/** The form of error responses, for any reason. */
const errorForm: Inference = ({ recorded, disclosure }: Evidence) => {
  const byForm = new Map<string, RecordedExchange>();
  const rejected = recorded.filter(isErrorResponse).sort(byRequest);
  for (const one of rejected) {
    const form = one.digest && formOf(one.digest, disclosure);
    if (form !== undefined && !byForm.has(form)) byForm.set(form, one);
  }
  if (byForm.size === 0) return unknown('no request was rejected');
  return likely([...byForm.keys()].sort().join('; '), ...[...byForm.values()].slice(0, 5));
};

/** A page with the status of a success that is no JSON, as of another media type, does not say that the request was rejected. */
const isErrorResponse = ({ outcome, digest }: RecordedExchange) =>
  outcome.kind === 'rejected' && (!outcome.withoutCode || digest?.form === 'JSON');

function formOf({ status, form, fields }: Digest, disclosure: Disclosure): string {
  const named = form === 'JSON' ? `JSON of ${fieldsOf(fields, disclosure)}` : form;
  return `HTTP ${status >= 400 && status <= 499 ? '4xx' : status} with ${named}`;
}

/** Names of fields that may be shown; that there are others is said once. */
function fieldsOf(fields: string[], disclosure: Disclosure): string {
  const names = new Set(fields.map(disclosure.render));
  return fields.length > 0 && fields.length <= maxFields ? [...names].sort().join(', ') : 'other fields';
}

/** How the questions about credentials and error responses are answered. */
export const treatment: Record<string, Inference> = {
  'no-credentials': noCredentials,
  'refusal-form': errorForm,
};
