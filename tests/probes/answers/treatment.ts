import { isObject, valueAt } from '../../../schemas/json.ts';
import { certain, type Evidence, type Inference, unknown } from '../evidence.ts';
import type { Heard } from '../heard.ts';
import { answersOf, outcomeOf, plainly, probed } from '../outcome.ts';
import { idsOf, plainList } from './pages.ts';

/** How the look-up of a record that does not exist was answered. */
const record = (id: string, name: string) =>
  probed(id, (heard) =>
    certain(
      isObject(valueAt(heard.body, `/data/${name}`)) ? 'a record' : 'a success without a record',
      heard,
    ),
  );

const rulesIn = ({ body }: Heard) => JSON.stringify(valueAt(body, '/data/fee_rules') ?? []);

/** How fee rules compare to those of the business. */
const rules = (id: string) =>
  probed(id, (heard, { asked }) => {
    const business = asked('getFeeRules', 'type=business');
    if (rulesIn(heard) === '[]') return certain('an empty list', heard);
    const alike = business && rulesIn(heard) === rulesIn(business);
    return certain(alike ? 'the rules of the business' : 'other rules', heard);
  });

const trailingSlash = probed('trailing-slash', (heard, evidence) => {
  const plain = plainList(evidence);
  const alike = plain !== undefined && idsOf(plain).join() === idsOf(heard).join();
  return certain(alike ? 'the same' : 'an answer of its own', heard);
});

/** Any answer with HTTP 200 counts here, since the question is in which media type it comes. */
const accepted =
  (id: string): Inference =>
  (evidence) => {
    const heard = evidence.probe(id);
    if (!heard) return unknown(evidence.gap);
    const { answer } = heard;
    const another = 'blocked' in answer || !/^application\/json\b/i.test(answer.contentType ?? '');
    if (another && outcomeOf(heard).words === 'refused as 200')
      return certain('answered in another media type', heard);
    return plainly(heard) ?? certain(another ? 'answered in another media type' : 'answered in JSON', heard);
  };

const noCredentials: Inference = (evidence) => {
  if (evidence.credentials) return probed('no-credentials', (heard) => certain('answered', heard))(evidence);
  const answered = ['getFeeRules', 'listCustomers', 'getCard'].flatMap((id) => answersOf(evidence, id));
  if (answered.length > 0) return certain('answered', ...answered.slice(0, 1));
  return unknown('no credentials are configured, and nothing was answered');
};

/** How refusals come, whatever their reason. */
const refusalForm: Inference = ({ heard }: Evidence) => {
  const refused = heard.filter((one) => outcomeOf(one).kind === 'refused');
  if (refused.length === 0) return unknown('nothing was refused');
  const forms = [...new Set(refused.map(formOf))].sort();
  return certain(forms.join('; '), ...refused.slice(0, 5));
};

function formOf({ answer, body }: Heard): string {
  if ('blocked' in answer) return 'no answer';
  const status = answer.status === 200 ? 'HTTP 200' : 'HTTP 4xx';
  return `${status} with ${bodyForm(answer.body, body, answer.contentType)}`;
}

function bodyForm(bytes: Uint8Array, body: unknown, contentType = ''): string {
  if (isObject(body)) return `JSON of ${fieldsOf(body)}`;
  if (bytes.length === 0) return 'no body';
  return /html/i.test(contentType) ? 'an HTML page' : 'another body';
}

/** Names of fields, as far as they read like names. */
function fieldsOf(body: object): string {
  const names = Object.keys(body).filter((name) => /^[a-z]+(_[a-z]+)*$/i.test(name) && name.length <= 24);
  return names.length > 0 && names.length <= 12 ? names.sort().join(', ') : 'other fields';
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
