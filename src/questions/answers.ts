import type { Question } from '../../schemas/contract/questions.ts';
import { pickDefined } from '../../schemas/json.ts';
import { isOk } from '../../schemas/judge/classify.ts';
import type { Observation } from '../redact/observation.ts';
import {
  answerNonSuccess,
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  isSuccess,
  likely,
  probed,
  unknown,
} from './evidence.ts';
import { compareList, customers } from './listCustomers.ts';
import { pageSequences } from './page-sequences.ts';
import { withCard } from './values.ts';

/** Answer to an open question, as observed in a run. */
export interface ProbeAnswer extends InferredAnswer {
  id: string;
  section: string;
  question: string;
  /** Description of the requests or values that show the answer. */
  asked: string;
  /** The recorded answer, if it differs. */
  recorded?: string;
  /** Reason to look at the answer, although the contract forbids no answer. */
  attention?: string;
}

/** Answers each question, in the order of the list. @throws if no inference exists for a question. */
export const answerAll = (questions: Question[], evidence: Evidence): ProbeAnswer[] =>
  questions.map((question) => {
    const inferred = findInference(question)(evidence, question);
    const attention = question.attention?.[inferred.answer];
    return { ...describeQuestion(question), ...inferred, ...(attention ? { attention } : {}) };
  });

/** Returns what an answer repeats of its question. */
export const describeQuestion = (question: Question) =>
  pickDefined(question, ['id', 'section', 'question', 'asked']);

/** Finds the inference for a question. @throws if neither the question nor its id names an inference. */
function findInference({ id, compare, headers, values, unaskable }: Question): Inference {
  if (unaskable) return (_, { answers: [answer = ''] }) => ({ answer, confidence: 'unknown', evidence: [] });
  if (Object.hasOwn(inferences, id)) return inferences[id] as Inference;
  if (compare) return compare === 'media type' ? inferMediaType : probed(comparisons[compare]);
  if (headers) return listHeaders;
  if (values) return listValues;
  throw new Error(`neither spec/questions.yaml nor a file of src/questions answers the question ${id}`);
}

const comparisons = {
  list: compareList,
  rules: compareRules,
  record: (observation: Observation) =>
    certain(observation.content?.hasRecord ? 'a record' : 'a success without a record', observation),
};

/** Joins the identities of the fee rules of a response, to compare lists; empty if there are none. */
const joinRules = (observation: Observation | undefined) =>
  observation?.content?.lists.fee_rules?.join() ?? '';

/** Compares fee rules with the rules of the business. */
function compareRules(observation: Observation, { find }: Evidence): InferredAnswer {
  const business = find('getFeeRules?type=business');
  const [rules, businessRules] = [joinRules(observation), joinRules(business)];
  if (!isSuccess(business) || businessRules === '')
    return unknown('there are no rules of the business to compare with', observation);
  const { type, user_id = '' } = observation.parameters;
  const user = find(`getFeeRules?type=user&user_id=${user_id}`);
  if (rules !== '' && rules !== businessRules) return certain('other rules', observation);
  if (type === 'business' && isSuccess(user) && ['', businessRules].includes(joinRules(user)))
    return unknown('the user has no other rules, which would show whose are meant', observation, user);
  return certain(rules === '' ? 'an empty list' : 'the rules of the business', observation);
}

const sortUnique = (texts: string[]) => [...new Set(texts)].sort();

/** Returns an answer that lists texts. */
const listTexts = (texts: string[], evidence: string): InferredAnswer => ({
  ...likely(sortUnique(texts).join(', ') || 'none'),
  evidence: [evidence],
});

/** Beginning of an answer that counts values instead of listing them. */
export const tooManyValues = 'more than ';
/** The most values that a vocabulary has; a field with more values holds free text. */
const maxWords = 12;

/** Lists the values at the places of a question. */
const listValues: Inference = (evidence, { id, values = [] }) => {
  const { total, texts } = sumTallies(id, evidence);
  if (total === 0) return unknown('no response to infer this from');
  const isVocabulary = texts.length <= maxWords;
  const vocabulary = isVocabulary ? texts : [`${tooManyValues}${maxWords} different values`];
  return listTexts(vocabulary, `${total} values at ${values.join(', ')}`);
};

/** Sums the tallies of a question: the number of values, and the different texts. */
function sumTallies(id: string, { recorded }: Evidence): { total: number; texts: string[] } {
  const tallies = recorded
    .filter(isSuccess)
    .flatMap(({ content }) => Object.entries(content?.tallies[id] ?? {}));
  const texts = sortUnique(tallies.map(([text]) => text));
  return { total: tallies.reduce((sum, [, count]) => sum + count, 0), texts };
}

/** Answers for each type of token whether all, some or none of the tokens carry a card. */
const inferCardPresence: Inference = (evidence, { id }) => {
  const { total, texts } = sumTallies(id, evidence);
  if (total === 0) return unknown('no payment token was seen');
  const describeFrequency = (type: string) =>
    !texts.includes(type + withCard) ? 'never' : texts.includes(type) ? 'sometimes' : 'always';
  const types = texts.map((form) => form.replace(withCard, ''));
  return listTexts(
    types.map((type) => `${type} ${describeFrequency(type)}`),
    `${total} payment tokens`,
  );
};

/** Answers which media type a response has: that of any response with the status of a success. */
const inferMediaType: Inference = (evidence, { id }) => {
  const observation = evidence.probe(id);
  if (!observation) return unknown(evidence.notAskedReason);
  const otherType = certain('answered in another media type', observation);
  const isJson = observation.contentType === 'application/json';
  if (!isJson && isForeign(observation)) return otherType;
  return (
    answerNonSuccess(observation, evidence) ?? (isJson ? certain('answered in JSON', observation) : otherType)
  );
};

/** Checks that the status is that of a success, and the body neither a success nor an error code. */
const isForeign = ({ content, status = 0 }: Observation) =>
  isOk(status) && content?.error?.label === `refused as ${status}`;

/** Lists the headers that a question looks at, each with the known words of its values. */
const listHeaders: Inference = ({ recorded }, { id }) => {
  const headers = recorded.flatMap(({ content }) => Object.entries(content?.headers[id] ?? {}));
  const texts = headers.map(([name]) => {
    const words = sortUnique(headers.flatMap(([header, values]) => (header === name ? values : [])));
    return words.length > 0 ? `${name} (${words.join(' ')})` : name;
  });
  return listTexts(texts, `headers of ${recorded.length} answers`);
};

const listMediaTypeParameters: Inference = ({ recorded }) => {
  const successes = recorded.filter(isSuccess);
  const names = successes.flatMap(({ content }) => {
    const { mediaTypeParameters: parameters = [] } = content ?? {};
    return parameters.length === 0 ? ['none'] : parameters;
  });
  return listTexts(names, `Content-Type of ${successes.length} answers`);
};

const inferWithoutCredentials: Inference = (evidence, question) =>
  evidence.hasCredentials
    ? probed((observation) => certain('answered', observation))(evidence, question)
    : certain('answered', ...evidence.recorded.filter(isSuccess).sort(compareRequests).slice(0, 1));

/** Compares observations by request, because requests of several operations are sent in no fixed order. */
const compareRequests = (a: Observation, b: Observation) => a.exchange.localeCompare(b.exchange);

/**
 * Lists the forms of error responses. A page that is no JSON, with the status of a success, is no error response. Without
 * probes there is no answer, because ordinary requests show fewer forms than a recorded run with probes.
 */
const listErrorForms: Inference = ({ recorded, probe, notAskedReason }) => {
  if (!probe('unknown-card')) return unknown(notAskedReason);
  const errors = recorded
    .flatMap((observation) => {
      const { label = '', form = '' } = observation.content?.error ?? {};
      const isError = /^refused/.test(label) && (!isForeign(observation) || /JSON/.test(form));
      return isError ? { observation, form } : [];
    })
    .sort((a, b) => compareRequests(a.observation, b.observation));
  if (errors.length === 0) return unknown('no request was rejected');
  const forms = sortUnique(errors.map(({ form }) => form));
  const examples = forms.flatMap((form) => errors.find((error) => error.form === form)?.observation ?? []);
  return likely(forms.join('; '), ...examples);
};

/** Inferences by id of the question, for questions whose entry in `spec/questions.yaml` names no comparison or values. */
const inferences: Record<string, Inference> = {
  ...customers,
  ...pageSequences,
  'credit-card-presence': inferCardPresence,
  'media-type-parameters': listMediaTypeParameters,
  'no-credentials': inferWithoutCredentials,
  'refusal-form': listErrorForms,
};

/** Words an answer so that it fits its question. */
export function phraseAnswer({ says = {} }: Pick<Question, 'says'>, answer: string): string {
  const text = answer
    .replace(/^refused as (\d{3})$/, 'rejected with HTTP $1')
    .replace(/^refused/, 'rejected')
    .replace(/^answered HTTP/, 'answered with HTTP')
    .replace(/^server error/, 'a server error,');
  const isOther = says['…'] !== undefined && answer !== 'unknown';
  return says[answer] ?? (isOther ? `${says['…']}: ${text}` : text);
}
