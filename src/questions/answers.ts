import type { Question } from '../../schemas/contract/questions.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Observation } from '../redact/observation.ts';
import { hasOtherApiBody, listErrorForms } from './error-responses.ts';
import {
  answerNonSuccess,
  createCertainAnswer,
  createLikelyAnswer,
  createUnknownAnswer,
  type Evidence,
  type Inference,
  type InferredAnswer,
  inferFromProbe,
  isSuccess,
} from './evidence.ts';
import { compareList, customers } from './listCustomers.ts';
import { pageSequences } from './page-sequences.ts';
import { compareRequests, sortUnique } from './sorting.ts';
import { withCardSuffix } from './values.ts';

export interface ProbeAnswer extends InferredAnswer {
  id: string;
  section: string;
  question: string;
  /** Requests or values that give the answer, such as "The Content-Type of each success." Copied from `spec/questions.yaml`. */
  asked: string;
  /** Answer that an earlier run with `PROBES=record` stored, if today's answer differs. */
  recorded?: string;
  /** Warning about an answer that the contract allows, but that is probably a mistake of the target. */
  attention?: string;
}

/** Answers each open question. @throws if no function can answer a question (`findInference`) */
export const answerAll = (questions: Question[], evidence: Evidence): ProbeAnswer[] =>
  questions.map((question) => {
    const inferred = findInference(question)(evidence, question);
    const attention = question.attention?.[inferred.answer];
    return { ...describeQuestion(question), ...inferred, ...(attention ? { attention } : {}) };
  });

export const describeQuestion = (question: Question) =>
  pickDefined(question, ['id', 'section', 'question', 'asked']);

/**
 * Returns the function that infers the answer to a question: the one in `inferences` for its `id`, or else one for its key in
 * `spec/questions.yaml`, such as `compare` or `headers`.
 * @throws if the question has neither
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

const comparisons = {
  list: compareList,
  rules: compareRules,
  record: (observation: Observation) =>
    createCertainAnswer(
      observation.content?.hasRecord ? 'a record' : 'a success without a record',
      observation,
    ),
};

const joinRuleHashes = (observation: Observation | undefined) =>
  observation?.content?.lists.fee_rules?.join() ?? '';

/** Infers which fee rules a probe returned, by comparison with those of `getFeeRules?type=business`. */
function compareRules(observation: Observation, { findResponse }: Evidence): InferredAnswer {
  const businessResponse = findResponse('getFeeRules?type=business');
  const [returnedRules, businessRules] = [joinRuleHashes(observation), joinRuleHashes(businessResponse)];
  if (!isSuccess(businessResponse) || businessRules === '')
    return createUnknownAnswer('there are no rules of the business to compare with', observation);
  if (returnedRules !== '' && returnedRules !== businessRules)
    return createCertainAnswer('other rules', observation);
  const { type, user_id = '' } = observation.parameters;
  const userResponse = findResponse(`getFeeRules?type=user&user_id=${user_id}`);
  const userRules = joinRuleHashes(userResponse);
  // A request with `type=business` and `user_id` shows whose rules are returned only if the user has other rules than the business.
  const userHasOtherRules = userRules !== '' && userRules !== businessRules;
  const mayBeRulesOfUser = type === 'business' && isSuccess(userResponse) && !userHasOtherRules;
  if (mayBeRulesOfUser)
    return createUnknownAnswer(
      'the user has no other rules, which would show whose are meant',
      observation,
      userResponse,
    );
  return createCertainAnswer(
    returnedRules === '' ? 'an empty list' : 'the rules of the business',
    observation,
  );
}

const createListAnswer = (values: string[], origin: string): InferredAnswer => ({
  ...createLikelyAnswer(sortUnique(values).join(', ') || 'none'),
  evidence: [origin],
});

export const tooManyValuesPrefix = 'more than ';
/** Maximum number of values that an answer lists. A field with more of them holds free text. */
const maxListedValues = 12;

/** Lists values of the fields in `values` of a question, such as `Active, Locked`. Describes private values by their shape. */
const listValues: Inference = (evidence, { id, values = [] }) => {
  const { valueCount, descriptions } = summarizeValues(id, evidence);
  if (valueCount === 0) return createUnknownAnswer('no response to infer this from');
  const isFreeText = descriptions.length > maxListedValues;
  const answers = isFreeText ? [`${tooManyValuesPrefix}${maxListedValues} different values`] : descriptions;
  return createListAnswer(answers, `${valueCount} values at ${values.join(', ')}`);
};

function summarizeValues(
  questionId: string,
  { responses }: Evidence,
): { valueCount: number; descriptions: string[] } {
  const tallies = responses
    .filter(isSuccess)
    .flatMap(({ content }) => Object.entries(content?.tallies[questionId] ?? {}));
  const descriptions = sortUnique(tallies.map(([description]) => description));
  return { valueCount: tallies.reduce((sum, [, count]) => sum + count, 0), descriptions };
}

/** Infers which payment tokens have a `credit_card` (contract section 2.5): "AlipayAutoDebit never, CreditCard always". */
const inferCardPresence: Inference = (evidence, { id }) => {
  const { valueCount, descriptions } = summarizeValues(id, evidence);
  if (valueCount === 0) return createUnknownAnswer('no payment token was seen');
  // A token without a card is described as `CreditCard`, one with a card as `CreditCard with card`.
  const describeFrequency = (type: string) => {
    if (!descriptions.includes(type + withCardSuffix)) return 'never';
    return descriptions.includes(type) ? 'sometimes' : 'always';
  };
  const types = descriptions.map((description) => description.replace(withCardSuffix, ''));
  return createListAnswer(
    types.map((type) => `${type} ${describeFrequency(type)}`),
    `${valueCount} payment tokens`,
  );
};

const inferMediaType: Inference = (evidence, { id }) => {
  const observation = evidence.findProbe(id);
  if (!observation) return createUnknownAnswer(evidence.notSentReason);
  const isJson = observation.contentType === 'application/json';
  const answer = createCertainAnswer(
    isJson ? 'answered in JSON' : 'answered in another media type',
    observation,
  );
  // A 2xx response in another media type is the answer, although its body lacks the envelope of the API.
  if (!isJson && hasOtherApiBody(observation)) return answer;
  return answerNonSuccess(observation, evidence) ?? answer;
};

/** Lists headers that match `headers` of a question, with the matching `words` in their values: "cache-control (no-store)". */
const listHeaders: Inference = ({ responses }, { id }) => {
  const headers = responses.flatMap(({ content }) => Object.entries(content?.headers[id] ?? {}));
  const formattedHeaders = headers.map(([name]) => {
    const sameHeaders = headers.filter(([otherName]) => otherName === name);
    const words = sortUnique(sameHeaders.flatMap(([, valueWords]) => valueWords));
    return words.length > 0 ? `${name} (${words.join(' ')})` : name;
  });
  return createListAnswer(formattedHeaders, `headers of ${responses.length} answers`);
};

const listMediaTypeParameters: Inference = ({ responses }) => {
  const successes = responses.filter(isSuccess);
  const parameters = successes.flatMap(({ content }) =>
    content?.mediaTypeParameters?.length ? content.mediaTypeParameters : ['none'],
  );
  return createListAnswer(parameters, `Content-Type of ${successes.length} responses`);
};

/**
 * Infers how the target responds to a request without credentials (contract section 5). If none are configured, every request is
 * sent without them, so that any success gives the answer.
 */
const inferWithoutCredentials: Inference = (evidence, question) => {
  if (evidence.hasCredentials)
    return inferFromProbe((observation) => createCertainAnswer('answered', observation))(evidence, question);
  const [firstSuccess] = evidence.responses.filter(isSuccess).sort(compareRequests);
  return createCertainAnswer('answered', ...(firstSuccess ? [firstSuccess] : []));
};

const inferences: Record<string, Inference> = {
  ...customers,
  ...pageSequences,
  'credit-card-presence': inferCardPresence,
  'media-type-parameters': listMediaTypeParameters,
  'no-credentials': inferWithoutCredentials,
  'refusal-form': listErrorForms,
};

export function phraseAnswer({ says: phrases = {} }: Pick<Question, 'says'>, answer: string): string {
  const listedPhrase = phrases[answer];
  if (listedPhrase !== undefined) return listedPhrase;
  const rewordedAnswer = answer
    .replace(/^refused as (\d{3})$/, 'rejected with HTTP $1')
    .replace(/^refused/, 'rejected')
    .replace(/^answered HTTP/, 'answered with HTTP')
    .replace(/^server error/, 'a server error,');
  // The phrase for `…` introduces an answer without a phrase: "no: rejected with HTTP 404".
  const introduction = answer === 'unknown' ? undefined : phrases['…'];
  return introduction === undefined ? rewordedAnswer : `${introduction}: ${rewordedAnswer}`;
}
