import type { Question } from '../../schemas/contract/questions.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Observation } from '../redact/observation.ts';
import { isRejectedWithOkStatus, listErrorForms } from './error-responses.ts';
import {
  answerIfError,
  compareRequests,
  createCertainAnswer,
  createUnknownAnswer,
  type Evidence,
  type Inference,
  type InferredAnswer,
  inferFromProbe,
  isSuccess,
  sortUnique,
} from './evidence.ts';
import { compareWithDefaultPage, customers } from './listCustomers.ts';
import { pageSequences } from './page-sequences.ts';
import { withCardSuffix } from './values.ts';

export interface ProbeAnswer extends InferredAnswer {
  id: string;
  section: string;
  question: string;
  /** Method by which the suite finds the answer, copied from `spec/questions.yaml`: "Looks at the Content-Type of each success." */
  asked: string;
  /** Answer of an earlier run with `PROBES=record`; undefined unless the answer has changed since. */
  recorded?: string;
  /** Warning that the answer, though the contract allows it, is probably a mistake of the target. */
  attention?: string;
}

/** Infers the answer to each question. @throws if a question has no function that infers its answer (`findInference`) */
export const inferAnswers = (questions: Question[], evidence: Evidence): ProbeAnswer[] =>
  questions.map((question) => {
    const inferAnswer = findInference(question);
    const inferredAnswer = inferAnswer(evidence, question);
    const probeAnswer: ProbeAnswer = { ...describeQuestion(question), ...inferredAnswer };
    const warningByAnswer = question.attention ?? {};
    const warning = warningByAnswer[inferredAnswer.answer];
    return warning ? { ...probeAnswer, attention: warning } : probeAnswer;
  });

export const describeQuestion = (question: Question) =>
  pickDefined(question, ['id', 'section', 'question', 'asked']);

/**
 * Returns the function that infers the answer to a question. An `unaskable` question has only one possible answer. Any other
 * question has an entry in `inferences` for its `id`, or else a field `compare`, `headers` or `values` that selects the function.
 * @throws if the question has nothing of these
 */
function findInference({ id, compare, headers, values, unaskable, answers }: Question): Inference {
  if (unaskable) {
    // The only possible answer says that no request can answer the question.
    const [answer = ''] = answers;
    return () => ({ answer, confidence: 'unknown', evidence: [] });
  }
  if (Object.hasOwn(inferences, id)) return inferences[id] as Inference;
  if (compare === 'media type') return inferMediaType;
  if (compare) return inferFromProbe(comparisons[compare]);
  if (headers) return listHeaders;
  if (values) return listValues;
  throw new Error(`neither spec/questions.yaml nor a file of src/questions answers the question ${id}`);
}

const comparisons = {
  list: compareWithDefaultPage,
  rules: compareFeeRules,
  record: (observation: Observation) =>
    createCertainAnswer(
      observation.content?.hasRecord ? 'a record' : 'a success without a record',
      observation,
    ),
};

const joinRuleHashes = (observation: Observation | undefined) =>
  observation?.content?.lists.fee_rules?.join() ?? '';

/** Infers whether a response to a probe has the fee rules of the business (as `getFeeRules?type=business`), other rules, or none. */
function compareFeeRules(observation: Observation, { findResponse }: Evidence): InferredAnswer {
  const businessResponse = findResponse('getFeeRules?type=business');
  const businessRules = joinRuleHashes(businessResponse);
  if (!isSuccess(businessResponse) || businessRules === '')
    return createUnknownAnswer('there are no rules of the business to compare with', observation);
  const returnedRules = joinRuleHashes(observation);
  const areOtherRules = (rules: string) => rules !== '' && rules !== businessRules;
  if (areOtherRules(returnedRules)) return createCertainAnswer('other rules', observation);
  const { type, user_id = '' } = observation.parameters;
  const userResponse = findResponse(`getFeeRules?type=user&user_id=${user_id}`);
  const userLacksOtherRules = isSuccess(userResponse) && !areOtherRules(joinRuleHashes(userResponse));
  // A request with `type=business` and `user_id` shows whose rules are returned only if the user has other rules than the business.
  if (type === 'business' && userLacksOtherRules) {
    const reason = 'the user has no other rules, which would show whose are meant';
    return createUnknownAnswer(reason, observation, userResponse);
  }
  const answer = returnedRules === '' ? 'an empty list' : 'the rules of the business';
  return createCertainAnswer(answer, observation);
}

const createListAnswer = (values: string[], source: string): InferredAnswer => ({
  answer: sortUnique(values).join(', ') || 'none',
  confidence: 'likely',
  evidence: [source],
});

export const tooManyValuesPrefix = 'more than ';
/** Maximum number of different values that an answer lists. A field with more values is taken for free text. */
const maxListedValues = 12;

/** Lists the different values of the fields that a question names: `Active, Locked`. Masks a private value: `shaped "Aaaa 000"`. */
const listValues: Inference = (evidence, { id, values = [] }) => {
  const { valueCount, descriptions } = summarizeValues(id, evidence);
  if (valueCount === 0) return createUnknownAnswer('no response to infer this from');
  const isFreeText = descriptions.length > maxListedValues;
  const answers = isFreeText ? [`${tooManyValuesPrefix}${maxListedValues} different values`] : descriptions;
  return createListAnswer(answers, `${valueCount} values at ${values.join(', ')}`);
};

function summarizeValues(questionId: string, { responses }: Evidence) {
  const descriptions: string[] = [];
  let valueCount = 0;
  for (const { content } of responses.filter(isSuccess))
    for (const [description, count] of Object.entries(content?.tallies[questionId] ?? {})) {
      descriptions.push(description);
      valueCount += count;
    }
  return { valueCount, descriptions: sortUnique(descriptions) };
}

/** Infers which types of payment tokens have a `credit_card` (contract section 2.5): "AlipayAutoDebit never, CreditCard always". */
const inferCardPresence: Inference = (evidence, { id }) => {
  const { valueCount, descriptions } = summarizeValues(id, evidence);
  if (valueCount === 0) return createUnknownAnswer('no payment token was seen');
  const describeFrequency = (type: string) => {
    const occursWithCard = descriptions.includes(type + withCardSuffix);
    const occursWithoutCard = descriptions.includes(type);
    if (!occursWithCard) return 'never';
    return occursWithoutCard ? 'sometimes' : 'always';
  };
  // `CreditCard with card` and `CreditCard` are two descriptions of one type.
  const types = new Set(descriptions.map((description) => description.replace(withCardSuffix, '')));
  const answers = [...types].map((type) => `${type} ${describeFrequency(type)}`);
  return createListAnswer(answers, `${valueCount} payment tokens`);
};

const inferMediaType: Inference = (evidence, { id }) => {
  const observation = evidence.findProbeResponse(id);
  if (!observation) return createUnknownAnswer(evidence.notSentReason);
  const isJson = observation.contentType === 'application/json';
  // A 2xx response in another media type counts as rejected elsewhere, because its body lacks the envelope of the API.
  const isOkInOtherMediaType = !isJson && isRejectedWithOkStatus(observation);
  const errorAnswer = isOkInOtherMediaType ? undefined : answerIfError(observation, evidence);
  if (errorAnswer) return errorAnswer;
  return createCertainAnswer(isJson ? 'answered in JSON' : 'answered in another media type', observation);
};

/** Lists the headers that a question names, each with words of the question that its values contain: "cache-control (no-store)". */
const listHeaders: Inference = ({ responses }, { id }) => {
  const wordsByHeader = new Map<string, string[]>();
  for (const { content } of responses)
    for (const [name, words] of Object.entries(content?.headers[id] ?? {}))
      wordsByHeader.set(name, [...(wordsByHeader.get(name) ?? []), ...words]);
  const formattedHeaders = [...wordsByHeader].map(([name, words]) =>
    words.length > 0 ? `${name} (${sortUnique(words).join(' ')})` : name,
  );
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
 * Infers how the target responds to a request without credentials (contract section 5). If no credentials are configured, all
 * requests are sent without credentials, so that the first success gives the answer.
 */
const inferAnonymousAccess: Inference = (evidence, question) => {
  const inferFromAnonymousProbe = inferFromProbe((success) => createCertainAnswer('answered', success));
  if (evidence.hasCredentials) return inferFromAnonymousProbe(evidence, question);
  const successes = evidence.responses.filter(isSuccess).sort(compareRequests);
  return createCertainAnswer('answered', ...successes.slice(0, 1));
};

const inferences: Record<string, Inference> = {
  ...customers,
  ...pageSequences,
  'credit-card-presence': inferCardPresence,
  'media-type-parameters': listMediaTypeParameters,
  'no-credentials': inferAnonymousAccess,
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
