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
import { tooManyValuesPrefix, withCardSuffix } from './values.ts';

export interface ProbeAnswer extends InferredAnswer {
  id: string;
  section: string;
  question: string;
  /** Sentence on how the suite finds the answer: "Looks at the Content-Type of each success." */
  asked: string;
  /** Answer of an earlier run. Only set if the answer has changed since. */
  recorded?: string;
  /**
   * Warning if the answer is probably a mistake of the target, although the contract allows the answer: "a page of the list shows a
   * customer twice: clients count that customer twice".
   */
  attention?: string;
}

/**
 * Infers the answer to each open question, such as `pages` for `offset-unit`.
 * @throws if the suite has no function for a question
 */
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

function findInference({ id, compare, headers, values, unaskable, answers }: Question): Inference {
  if (unaskable) {
    // No request can answer this question. Its only documented answer says so.
    const [answer = ''] = answers;
    return () => ({ answer, confidence: 'unknown', evidence: [] });
  }
  if (Object.hasOwn(inferences, id)) return inferences[id] as Inference;
  if (compare === 'media type') return inferMediaType;
  if (compare) return inferFromProbe(inferenceByComparison[compare]);
  if (headers) return listHeaders;
  if (values) return listValues;
  throw new Error(`neither spec/questions.yaml nor a file of src/questions answers the question ${id}`);
}

const describeRecord = (success: Observation): InferredAnswer =>
  createCertainAnswer(success.content?.hasRecord ? 'a record' : 'a success without a record', success);

/** Functions that infer an answer from a response, keyed by `Question.compare`. */
const inferenceByComparison = {
  list: compareWithDefaultPage,
  rules: compareFeeRules,
  record: describeRecord,
};

const joinRuleHashes = (observation: Observation | undefined) =>
  observation?.content?.lists.fee_rules?.join() ?? '';

/**
 * Infers whose fee rules a response shows: `the rules of the business`, `other rules`, `an empty list` or `no list`. The answer is
 * `unknown` if the business has no rules to compare with. A request may have both `type=business` and a `user_id`. If the response
 * to `type=user` shows no different rules for this user, a response with the rules of the business, or with an empty list, leaves
 * open which parameter the target applied. In that case, the answer is `unknown`.
 */
function compareFeeRules(observation: Observation, { findResponse }: Evidence): InferredAnswer {
  const businessResponse = findResponse('getFeeRules?type=business');
  const businessRules = joinRuleHashes(businessResponse);
  if (!isSuccess(businessResponse) || businessRules === '')
    return createUnknownAnswer('there are no rules of the business to compare with', observation);
  // `data` may be null, as in `{ code: 200, success: false, data: null }`.
  const hasList = observation.content?.lists.fee_rules !== undefined;
  if (!hasList) return createCertainAnswer('no list', observation);
  const areOtherRules = (rules: string) => rules !== '' && rules !== businessRules;
  const returnedRules = joinRuleHashes(observation);
  if (areOtherRules(returnedRules)) return createCertainAnswer('other rules', observation);
  const { type, user_id = '' } = observation.parameters;
  const userResponse = findResponse(`getFeeRules?type=user&user_id=${user_id}`);
  const hasUserOwnRules = areOtherRules(joinRuleHashes(userResponse));
  if (type === 'business' && isSuccess(userResponse) && !hasUserOwnRules) {
    // The probe has both `type=business` and `user_id`. The rules of this user are those of the business, so that the response does
    // not show which of the two parameters the target applied.
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

const maxListedValues = 12;

const listValues: Inference = (evidence, { id, values = [] }) => {
  const { valueCount, descriptions } = summarizeValues(id, evidence);
  if (valueCount === 0) return createUnknownAnswer('no response to infer this from');
  const source = `${valueCount} values at ${values.join(', ')}`;
  // With so many different values, the field is probably free text.
  if (descriptions.length > maxListedValues)
    return createListAnswer([`${tooManyValuesPrefix}${maxListedValues} different values`], source);
  return createListAnswer(descriptions, source);
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

/** Infers which types of payment tokens have a credit card: `AlipayAutoDebit never, CreditCard always` (contract section 2.5). */
const inferCardPresence: Inference = (evidence, { id }) => {
  const { valueCount, descriptions } = summarizeValues(id, evidence);
  if (valueCount === 0) return createUnknownAnswer('no payment token was seen');
  // `CreditCard with card` and `CreditCard` are two descriptions of one type.
  const types = new Set(descriptions.map((description) => description.replace(withCardSuffix, '')));
  const answers = [...types].map((type) => `${type} ${describeCardFrequency(type, descriptions)}`);
  return createListAnswer(answers, `${valueCount} payment tokens`);
};

function describeCardFrequency(tokenType: string, seenTokens: string[]): 'never' | 'sometimes' | 'always' {
  const occursWithCard = seenTokens.includes(tokenType + withCardSuffix);
  const occursWithoutCard = seenTokens.includes(tokenType);
  if (!occursWithCard) return 'never';
  return occursWithoutCard ? 'sometimes' : 'always';
}

const inferMediaType: Inference = (evidence, { id }) => {
  const observation = evidence.findProbeResponse(id);
  if (!observation) return createUnknownAnswer(evidence.notSentReason);
  const isJson = observation.contentType === 'application/json';
  // A page such as HTML with HTTP 200 is labelled `refused as 200`, because it is no JSON of this API. Here it is an answer.
  if (!isJson && isRejectedWithOkStatus(observation))
    return createCertainAnswer('answered in another media type', observation);
  const errorAnswer = answerIfError(observation, evidence);
  if (errorAnswer) return errorAnswer;
  return createCertainAnswer(isJson ? 'answered in JSON' : 'answered in another media type', observation);
};

/**
 * Lists the headers that a question is about: `cache-control (no-store), etag`. In parentheses are the parts of the header values
 * that match `Question.words`.
 */
const listHeaders: Inference = ({ responses }, { id }) => {
  const foundWordsByHeader = new Map<string, string[]>();
  // Errors other than HTTP 429 occur only in some runs, such as those with PROBES=on, and often have other headers than a success.
  const comparedResponses = responses.filter(
    (response) => response.kind === 'rate limit' || isSuccess(response),
  );
  for (const { content } of comparedResponses) {
    const headersOfQuestion = content?.headersByQuestion[id] ?? {};
    for (const [header, foundWords] of Object.entries(headersOfQuestion)) {
      const earlierWords = foundWordsByHeader.get(header) ?? [];
      foundWordsByHeader.set(header, [...earlierWords, ...foundWords]);
    }
  }
  const formattedHeaders = [...foundWordsByHeader].map(([header, words]) => formatHeader(header, words));
  return createListAnswer(formattedHeaders, `headers of ${comparedResponses.length} responses`);
};

const formatHeader = (header: string, words: string[]): string =>
  words.length > 0 ? `${header} (${sortUnique(words).join(' ')})` : header;

const listMediaTypeParameters: Inference = ({ responses }) => {
  const successes = responses.filter(isSuccess);
  const parameters = successes.flatMap(({ content }) =>
    content?.mediaTypeParameters?.length ? content.mediaTypeParameters : ['none'],
  );
  return createListAnswer(parameters, `Content-Type of ${successes.length} responses`);
};

const inferAnonymousAccess: Inference = (evidence, question) => {
  if (evidence.hasClientCertificate)
    return createUnknownAnswer('every request has the client certificate, which may be the credentials');
  if (evidence.hasCredentials) return inferFromAnonymousProbe(evidence, question);
  // The run has no credentials, so every success is a response to a request without them. One success is enough as evidence.
  const successes = evidence.responses.filter(isSuccess).sort(compareRequests);
  return createCertainAnswer('answered', ...successes.slice(0, 1));
};

const inferFromAnonymousProbe = inferFromProbe((success) => createCertainAnswer('answered', success));

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
