import type { Question } from '../../schemas/contract/questions.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Observation } from '../redact/observation.ts';
import { isOtherApi, listErrorForms } from './error-responses.ts';
import {
  answerNonSuccess,
  certain,
  type Evidence,
  type Inference,
  type InferredAnswer,
  inferFromProbe,
  isSuccess,
  likely,
  unknown,
} from './evidence.ts';
import { compareList, customers } from './listCustomers.ts';
import { pageSequences } from './page-sequences.ts';
import { compareRequests, sortUnique } from './sorting.ts';
import { withCard } from './values.ts';

/** Answer of a run to an open question: to something that the contract does not say (`spec/questions.yaml`). */
export interface ProbeAnswer extends InferredAnswer {
  /** Id of an open question in `spec/questions.yaml`, such as `offset-unit`. */
  id: string;
  /** Section of the contract that leaves the question open, such as `4.2`. */
  section: string;
  /** Open question in words, such as "Does `offset` count customers or pages?". */
  question: string;
  /** Way in which a run finds the answer, in words: the requests that it compares, or the values that it lists. */
  asked: string;
  /** Earlier answer in the file of `PROBES=record`; undefined if there is none, or if today's answer is the same. */
  recorded?: string;
  /** Sentence about an answer that is likely a mistake of the target, though the contract does not forbid it. */
  attention?: string;
}

/**
 * Answers each open question, in the order of the list, by the responses of a run.
 * @throws if a question has no function that infers its answer
 */
export const answerAll = (questions: Question[], evidence: Evidence): ProbeAnswer[] =>
  questions.map((question) => {
    const inferred = findInference(question)(evidence, question);
    const attention = question.attention?.[inferred.answer];
    return { ...describeQuestion(question), ...inferred, ...(attention ? { attention } : {}) };
  });

/** Returns the id, section and texts of a question, which its `ProbeAnswer` repeats. */
export const describeQuestion = (question: Question) =>
  pickDefined(question, ['id', 'section', 'question', 'asked']);

/**
 * Finds the function that infers the answer to a question: by its id in `inferences`, or else by a key of its entry in
 * `spec/questions.yaml`, such as `compare`. @throws if there is none
 */
function findInference({ id, compare, headers, values, unaskable, answers }: Question): Inference {
  if (unaskable) {
    // The only possible answer says that no request can answer the question.
    const [answer = ''] = answers;
    return () => ({ answer, confidence: 'unknown', evidence: [] });
  }
  if (Object.hasOwn(inferences, id)) return inferences[id] as Inference;
  if (compare) return compare === 'media type' ? inferMediaType : inferFromProbe(comparisons[compare]);
  if (headers) return listHeaders;
  if (values) return listValues;
  throw new Error(`neither spec/questions.yaml nor a file of src/questions answers the question ${id}`);
}

/**
 * Functions that answer a question by comparing the response to its probe with other responses, keyed by `compare` of the question.
 */
const comparisons = {
  list: compareList,
  rules: compareRules,
  record: (observation: Observation) =>
    certain(observation.content?.hasRecord ? 'a record' : 'a success without a record', observation),
};

/**
 * Joins the hashes of the fee rules in a response to one text, which is equal for equal lists; empty if the response has no rule.
 */
const joinRules = (observation: Observation | undefined) =>
  observation?.content?.lists.fee_rules?.join() ?? '';

/**
 * Answers which fee rules the response to a probe holds, by comparison with `getFeeRules?type=business`: `other rules`, `the rules
 * of the business` or `an empty list`. Unknown if the business has no rules, or if the user has none that would look different.
 */
function compareRules(observation: Observation, { find }: Evidence): InferredAnswer {
  const ofBusiness = find('getFeeRules?type=business');
  const [rules, businessRules] = [joinRules(observation), joinRules(ofBusiness)];
  if (!isSuccess(ofBusiness) || businessRules === '')
    return unknown('there are no rules of the business to compare with', observation);
  if (rules !== '' && rules !== businessRules) return certain('other rules', observation);
  const { type, user_id = '' } = observation.parameters;
  const ofUser = find(`getFeeRules?type=user&user_id=${user_id}`);
  const userRules = joinRules(ofUser);
  // A request with `type=business` and `user_id` shows whose rules are returned only if the user has other rules than the business.
  const hasUserOtherRules = userRules !== '' && userRules !== businessRules;
  if (type === 'business' && isSuccess(ofUser) && !hasUserOtherRules)
    return unknown('the user has no other rules, which would show whose are meant', observation, ofUser);
  return certain(rules === '' ? 'an empty list' : 'the rules of the business', observation);
}

/**
 * Creates an answer that lists texts in alphabetical order, each once, such as `Active, Locked`; `none` if there is no text.
 * @param origin sentence about the responses in which the texts were found, such as "headers of 12 answers"
 */
const listTexts = (texts: string[], origin: string): InferredAnswer => ({
  ...likely(sortUnique(texts).join(', ') || 'none'),
  evidence: [origin],
});

/** Beginning of the answer "more than 12 different values", which replaces a long list of values. */
export const tooManyValues = 'more than ';
/** Maximum number of different values that an answer lists. A field with more values is taken for free text. */
const maxWords = 12;

/**
 * Answers a question with the values that successful responses hold at its pointers (`values`), such as `Active, Locked` for
 * `getCard/data/card/status`. Values that may not be shown are replaced by their shape. More than `maxWords` different values are
 * only counted.
 */
const listValues: Inference = (evidence, { id, values = [] }) => {
  const { total, texts } = sumTallies(id, evidence);
  if (total === 0) return unknown('no response to infer this from');
  const shownTexts = texts.length <= maxWords ? texts : [`${tooManyValues}${maxWords} different values`];
  return listTexts(shownTexts, `${total} values at ${values.join(', ')}`);
};

/**
 * Sums up the values that successful responses hold at the pointers of a question: `total` is their number, and `texts` are their
 * different descriptions, such as `Active`, sorted.
 * @param id id of the question
 */
function sumTallies(id: string, { recorded }: Evidence): { total: number; texts: string[] } {
  const tallies = recorded
    .filter(isSuccess)
    .flatMap(({ content }) => Object.entries(content?.tallies[id] ?? {}));
  const texts = sortUnique(tallies.map(([text]) => text));
  return { total: tallies.reduce((sum, [, count]) => sum + count, 0), texts };
}

/**
 * Answers how often payment tokens of each type have a `credit_card` (contract section 2.5): "AlipayAutoDebit never, CreditCard
 * always".
 */
const inferCardPresence: Inference = (evidence, { id }) => {
  const { total, texts } = sumTallies(id, evidence);
  if (total === 0) return unknown('no payment token was seen');
  // A text is `CreditCard` for tokens of that type without a card, and `CreditCard with card` for those with one.
  const describeFrequency = (type: string) => {
    if (!texts.includes(type + withCard)) return 'never';
    return texts.includes(type) ? 'sometimes' : 'always';
  };
  const types = texts.map((form) => form.replace(withCard, ''));
  return listTexts(
    types.map((type) => `${type} ${describeFrequency(type)}`),
    `${total} payment tokens`,
  );
};

/**
 * Answers whether the response to a probe with another `Accept` is JSON or has another media type. For an error response, the
 * answer is its code, such as `refused as 406`.
 */
const inferMediaType: Inference = (evidence, { id }) => {
  const observation = evidence.probe(id);
  if (!observation) return unknown(evidence.notAskedReason);
  const otherType = certain('answered in another media type', observation);
  const isJson = observation.contentType === 'application/json';
  if (!isJson && isOtherApi(observation)) return otherType;
  return (
    answerNonSuccess(observation, evidence) ?? (isJson ? certain('answered in JSON', observation) : otherType)
  );
};

/**
 * Answers with the response headers whose names match `headers` of the question, in alphabetical order: "cache-control (no-store),
 * etag". In parentheses are the words of their values that match `words` of the question. `none` if no response has such a header.
 */
const listHeaders: Inference = ({ recorded }, { id }) => {
  const headers = recorded.flatMap(({ content }) => Object.entries(content?.headers[id] ?? {}));
  const texts = headers.map(([name]) => {
    const words = sortUnique(headers.flatMap(([header, values]) => (header === name ? values : [])));
    return words.length > 0 ? `${name} (${words.join(' ')})` : name;
  });
  return listTexts(texts, `headers of ${recorded.length} answers`);
};

/**
 * Answers with the parameters of Content-Type in successful responses, such as `charset=utf-8`; `none` for responses without them.
 */
const listMediaTypeParameters: Inference = ({ recorded }) => {
  const successes = recorded.filter(isSuccess);
  const names = successes.flatMap(({ content }) => {
    const { mediaTypeParameters: parameters = [] } = content ?? {};
    return parameters.length === 0 ? ['none'] : parameters;
  });
  return listTexts(names, `Content-Type of ${successes.length} answers`);
};

/**
 * Answers how the target answers a request without credentials (contract section 5): `answered`, or the code of an error such as
 * `refused as 401`. If no credentials are configured, any successful response of the run shows that.
 */
const inferWithoutCredentials: Inference = (evidence, question) => {
  if (evidence.hasCredentials)
    return inferFromProbe((observation) => certain('answered', observation))(evidence, question);
  const [firstSuccess] = evidence.recorded.filter(isSuccess).sort(compareRequests);
  return certain('answered', ...(firstSuccess ? [firstSuccess] : []));
};

/**
 * Functions that infer the answer to a question, keyed by its id, for questions whose entry in `spec/questions.yaml` does not say
 * how.
 */
const inferences: Record<string, Inference> = {
  ...customers,
  ...pageSequences,
  'credit-card-presence': inferCardPresence,
  'media-type-parameters': listMediaTypeParameters,
  'no-credentials': inferWithoutCredentials,
  'refusal-form': listErrorForms,
};

/**
 * Phrases an answer for readers: by `says` of its question in `spec/questions.yaml`, or else by replacing words of the suite, such
 * as "refused as 404" by "rejected with HTTP 404".
 */
export function phraseAnswer({ says = {} }: Pick<Question, 'says'>, answer: string): string {
  const text = answer
    .replace(/^refused as (\d{3})$/, 'rejected with HTTP $1')
    .replace(/^refused/, 'rejected')
    .replace(/^answered HTTP/, 'answered with HTTP')
    .replace(/^server error/, 'a server error,');
  const listedPhrase = says[answer];
  if (listedPhrase !== undefined) return listedPhrase;
  // The phrase for `…` introduces each answer that `says` does not list: "no: rejected with HTTP 404".
  const introduction = answer === 'unknown' ? undefined : says['…'];
  return introduction === undefined ? text : `${introduction}: ${text}`;
}
