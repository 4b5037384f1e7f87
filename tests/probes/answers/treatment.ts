import type { Disclosure } from '../../redaction/disclosure.ts';
import type { Digest } from '../digest/digest.ts';
import { maxFields } from '../digest/form.ts';
import { certain, type Evidence, type Inference, unknown } from '../evidence.ts';
import { describeNonSuccess, probed } from '../inferences.ts';

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
  const answered = evidence.recorded.filter(
    ({ operation, outcome }) => operation && outcome.kind === 'answered',
  );
  if (answered.length > 0) return certain('answered', ...answered.slice(0, 1));
  return unknown('no credentials are configured, and nothing was answered');
};

/** The form of error responses, for any reason. */
const errorForm: Inference = ({ recorded, disclosure }: Evidence) => {
  const rejected = recorded.filter(({ outcome }) => outcome.kind === 'rejected');
  if (rejected.length === 0) return unknown('no request was rejected');
  const forms = new Set(rejected.flatMap(({ digest }) => (digest ? formOf(digest, disclosure) : [])));
  return certain([...forms].sort().join('; '), ...rejected.slice(0, 5));
};

function formOf({ status, isSuccessStatus, form, fields }: Digest, disclosure: Disclosure): string {
  const named = form === 'JSON' ? `JSON of ${fieldsOf(fields, disclosure)}` : form;
  return `HTTP ${isSuccessStatus ? status : '4xx'} with ${named}`;
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
