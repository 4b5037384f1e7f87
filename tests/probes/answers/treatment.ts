import type { Disclosure } from '../../client/disclosure.ts';
import type { Digest } from '../digest/digest.ts';
import { maxFields } from '../digest/form.ts';
import { certain, type Evidence, type Inference, unknown } from '../evidence.ts';
import { answersOf, describeNonSuccess, probed } from '../outcome.ts';
import type { RecordedExchange } from '../recorded-exchange.ts';
import { idsOf, plainList } from './pages.ts';

/** How the look-up of a record that does not exist was answered. */
const record = (id: string, name: string) =>
  probed(id, (recorded) =>
    certain(recorded.digest?.records.includes(name) ? 'a record' : 'a success without a record', recorded),
  );

const rulesIn = ({ digest }: RecordedExchange) => digest?.rules ?? 'none';

/** How fee rules compare to those of the business. */
const rules = (id: string) =>
  probed(id, (recorded, { asked }) => {
    const business = asked('getFeeRules', 'type=business');
    if (rulesIn(recorded) === 'none') return certain('an empty list', recorded);
    const alike = business && rulesIn(recorded) === rulesIn(business);
    return certain(alike ? 'the rules of the business' : 'other rules', recorded);
  });

const trailingSlash = probed('trailing-slash', (recorded, evidence) => {
  const plain = plainList(evidence);
  const alike = plain !== undefined && idsOf(plain).join() === idsOf(recorded).join();
  return certain(alike ? 'the same' : 'an answer of its own', recorded);
});

/** Any answer with the status of a success counts here, since the question is in which media type it comes. */
const accepted =
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
  const answered = ['getFeeRules', 'listCustomers', 'getCard'].flatMap((id) => answersOf(evidence, id));
  if (answered.length > 0) return certain('answered', ...answered.slice(0, 1));
  return unknown('no credentials are configured, and nothing was answered');
};

/** How refusals come, whatever their reason. */
const refusalForm: Inference = ({ recorded, disclosure }: Evidence) => {
  const refused = recorded.filter(({ outcome }) => outcome.kind === 'refused');
  if (refused.length === 0) return unknown('nothing was refused');
  const forms = new Set(refused.flatMap(({ digest }) => (digest ? formOf(digest, disclosure) : [])));
  return certain([...forms].sort().join('; '), ...refused.slice(0, 5));
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

const ruled =
  'missing-type unknown-type type-letter-case user-id-with-business missing-user-id empty-user-id unknown-user';

export const treatment: Record<string, Inference> = {
  'unknown-card': record('unknown-card', 'card'),
  'malformed-card': record('malformed-card', 'card'),
  'unknown-customer': record('unknown-customer', 'customer'),
  'malformed-customer': record('malformed-customer', 'customer'),
  'trailing-slash': trailingSlash,
  'accept-any': accepted('accept-any'),
  'accept-other': accepted('accept-other'),
  'no-credentials': noCredentials,
  'refusal-form': refusalForm,
  ...Object.fromEntries(ruled.split(' ').map((id) => [id, rules(id)])),
};
