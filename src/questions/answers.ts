import type { Question } from '../../schemas/contract/questions.ts';
import { isOk } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import {
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  isSuccess,
  likely,
  nonSuccess,
  probed,
  unknown,
} from './evidence.ts';
import { comparedList, customers } from './listCustomers.ts';
import { withCard } from './values.ts';

/** What was observed of something that the contract leaves open. */
export interface ProbeAnswer extends InferredAnswer {
  id: string;
  section: string;
  question: string;
  /** How the suite finds out. */
  asked: string;
  /** The answer in the recorded file, when this is another one. */
  recorded?: string;
}

/** Answers each question, in the order of the list. @throws when there is no way to answer one. */
export const answerAll = (questions: Question[], evidence: Evidence): ProbeAnswer[] =>
  questions.map((one) => {
    const { id, section, question, asked } = one;
    return { id, section, question, asked, ...inferenceFor(one)(evidence, one) };
  });

/** How a question is answered. @throws when nothing says so. */
function inferenceFor({ id, compare, headers, values, unaskable }: Question): Inference {
  if (unaskable) return (_, { answers: [answer = ''] }) => ({ answer, confidence: 'unknown', evidence: [] });
  if (Object.hasOwn(inferences, id)) return inferences[id] as Inference;
  if (compare) return compare === 'media type' ? accepted : probed(comparisons[compare]);
  if (headers) return headersLike;
  if (values) return listing;
  throw new Error(`neither spec/questions.yaml nor a file of src/questions answers the question ${id}`);
}

const comparisons = {
  list: comparedList,
  rules: comparedRules,
  record: (observation: Observation) =>
    certain(observation.content?.hasRecord ? 'a record' : 'a success without a record', observation),
};

/** Joins the identities of the fee rules of a response, to compare lists; empty if there are none. */
const joinRules = (observation: Observation | undefined) =>
  observation?.content?.lists.fee_rules?.join() ?? '';

/** How fee rules compare to those of the business. */
function comparedRules(observation: Observation, { asked }: Evidence): InferredAnswer {
  const business = asked('getFeeRules?type=business');
  const [own, others] = [joinRules(observation), joinRules(business)];
  if (!isSuccess(business) || others === '')
    return unknown('there are no rules of the business to compare with', observation);
  const { type, user_id = '' } = observation.parameters;
  const named = asked(`getFeeRules?type=user&user_id=${user_id}`);
  if (own !== '' && own !== others) return certain('other rules', observation);
  if (type === 'business' && named && isSuccess(named) && ['', others].includes(joinRules(named)))
    return unknown('the user has no other rules, which would show whose are meant', observation, named);
  return certain(own === '' ? 'an empty list' : 'the rules of the business', observation);
}

const sorted = (texts: string[]) => [...new Set(texts)].sort();

/** An answer that lists what was seen. */
const listOf = (texts: string[], evidence: string): InferredAnswer => ({
  ...likely(sorted(texts).join(', ') || 'none'),
  evidence: [evidence],
});

/** How an answer begins that no longer lists its values. */
export const tooManyValues = 'more than ';
/** Beyond this a field holds no vocabulary but free text. */
const maxWords = 12;

/** Lists what was seen at the places of a question. */
const listing: Inference = (evidence, { id, values = [] }) => {
  const { total, texts } = seen(id, evidence);
  if (total === 0) return unknown('no response to infer this from');
  const isVocabulary = texts.length <= maxWords;
  const listed = isVocabulary ? texts : [`${tooManyValues}${maxWords} different values`];
  return listOf(listed, `${total} values at ${values.join(', ')}`);
};

/** How many values a question lists, and what is said of them. */
function seen(id: string, { recorded }: Evidence): { total: number; texts: string[] } {
  const tallies = recorded
    .filter(isSuccess)
    .flatMap(({ content }) => Object.entries(content?.tallies[id] ?? {}));
  const texts = sorted(tallies.map(([text]) => text));
  return { total: tallies.reduce((sum, [, count]) => sum + count, 0), texts };
}

/** For each type of token: whether all, some or none of them carry a card. */
const cardPresence: Inference = (evidence, { id }) => {
  const { total, texts } = seen(id, evidence);
  if (total === 0) return unknown('no payment token was seen');
  const howMany = (type: string) =>
    !texts.includes(type + withCard) ? 'never' : texts.includes(type) ? 'sometimes' : 'always';
  const types = texts.map((form) => form.replace(withCard, ''));
  return listOf(
    types.map((type) => `${type} ${howMany(type)}`),
    `${total} payment tokens`,
  );
};

/** Any response with the status of a success counts here, since the question is which media type it has. */
const accepted: Inference = (evidence, { id }) => {
  const observation = evidence.probe(id);
  if (!observation) return unknown(evidence.notAskedReason);
  const another = certain('answered in another media type', observation);
  const isJson = observation.contentType === 'application/json';
  if (!isJson && isForeign(observation)) return another;
  return nonSuccess(observation, evidence) ?? (isJson ? certain('answered in JSON', observation) : another);
};

/** Whether the status is that of a success, and the body neither a success nor an error code. */
const isForeign = ({ content, status = 0 }: Observation) =>
  isOk(status) && content?.error?.label === `refused as ${status}`;

/** Lists the headers that a question looks at, each with the known words of its values. */
const headersLike: Inference = ({ recorded }, { id }) => {
  const headers = recorded.flatMap(({ content }) => Object.entries(content?.headers[id] ?? {}));
  const texts = headers.map(([name]) => {
    const words = sorted(headers.flatMap(([other, found]) => (other === name ? found : [])));
    return words.length > 0 ? `${name} (${words.join(' ')})` : name;
  });
  return listOf(texts, `headers of ${recorded.length} answers`);
};

const mediaTypeParameters: Inference = ({ recorded }) => {
  const successes = recorded.filter(isSuccess);
  const found = successes.flatMap(({ content }) => {
    const { mediaTypeParameters: parameters = [] } = content ?? {};
    return parameters.length === 0 ? ['none'] : parameters;
  });
  return listOf(found, `Content-Type of ${successes.length} answers`);
};

const noCredentials: Inference = (evidence, question) =>
  evidence.credentials
    ? probed((observation) => certain('answered', observation))(evidence, question)
    : certain('answered', ...evidence.recorded.filter(isSuccess).sort(byRequest).slice(0, 1));

/** Operations, and filters, are asked beside each other, in an order that depends on the responses. */
const byRequest = (one: Observation, other: Observation) => one.exchange.localeCompare(other.exchange);

/**
 * The form of error responses, for any reason. A page that is no JSON, with the status of a success, is none. Ordinary requests
 * show too few of them to be compared with a run that has asked more.
 */
const errorForm: Inference = ({ recorded, probe, notAskedReason }) => {
  if (!probe('unknown-card')) return unknown(notAskedReason);
  const errors = recorded
    .flatMap((observation) => {
      const { label = '', form = '' } = observation.content?.error ?? {};
      const isError = /^refused/.test(label) && (!isForeign(observation) || /JSON/.test(form));
      return isError ? { observation, form } : [];
    })
    .sort((one, other) => byRequest(one.observation, other.observation));
  if (errors.length === 0) return unknown('no request was rejected');
  const forms = sorted(errors.map(({ form }) => form));
  const examples = forms.flatMap((form) => errors.find((error) => error.form === form)?.observation ?? []);
  return likely(forms.join('; '), ...examples);
};

/** How questions are answered of which `spec/questions.yaml` does not say it. */
const inferences: Record<string, Inference> = {
  ...customers,
  'credit-card-presence': cardPresence,
  'media-type-parameters': mediaTypeParameters,
  'no-credentials': noCredentials,
  'refusal-form': errorForm,
};

/** An answer in words that fit its question. */
export function inWords({ says = {} }: Pick<Question, 'says'>, answer: string): string {
  const text = answer
    .replace(/^refused as (\d{3})$/, 'rejected with HTTP $1')
    .replace(/^refused/, 'rejected')
    .replace(/^answered HTTP/, 'answered with HTTP')
    .replace(/^server error/, 'a server error,');
  const isOther = says['…'] !== undefined && answer !== 'unknown';
  return says[answer] ?? (isOther ? `${says['…']}: ${text}` : text);
}
