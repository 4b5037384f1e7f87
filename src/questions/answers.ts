import type { Question } from '../../schemas/contract/questions.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { Observation } from '../redact/observation.ts';
import { isForeign, listErrorForms } from './error-responses.ts';
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
import { compareRequests, sortUnique } from './sorting.ts';
import { withCard } from './values.ts';

/** Answer to an open question, something that the contract leaves open (`spec/questions.yaml`), as observed in a run. */
export interface ProbeAnswer extends InferredAnswer {
  /** Id of the question, such as `offset-unit`. */
  id: string;
  /** Section of the contract. */
  section: string;
  question: string;
  /** Requests or values that show the answer, in words. */
  asked: string;
  /** Answer that `PROBES=record` has stored, if today's answer differs. */
  recorded?: string;
  /** Sentence about an answer that is unexpected, though the contract does not forbid it. */
  attention?: string;
}

/** Answers each question, in the order of the list. @throws if no function infers an answer to one of them. */
export const answerAll = (questions: Question[], evidence: Evidence): ProbeAnswer[] =>
  questions.map((question) => {
    const inferred = findInference(question)(evidence, question);
    const attention = question.attention?.[inferred.answer];
    return { ...describeQuestion(question), ...inferred, ...(attention ? { attention } : {}) };
  });

/** Returns the members of a question that its `ProbeAnswer` repeats. */
export const describeQuestion = (question: Question) =>
  pickDefined(question, ['id', 'section', 'question', 'asked']);

/** Finds the function that answers a question, by its id or by a key of its entry such as `compare`. @throws if there is none. */
function findInference({ id, compare, headers, values, unaskable }: Question): Inference {
  // The only entry in the list of answers says why no request can answer the question.
  if (unaskable) return (_, { answers: [answer = ''] }) => ({ answer, confidence: 'unknown', evidence: [] });
  if (Object.hasOwn(inferences, id)) return inferences[id] as Inference;
  if (compare) return compare === 'media type' ? inferMediaType : probed(comparisons[compare]);
  if (headers) return listHeaders;
  if (values) return listValues;
  throw new Error(`neither spec/questions.yaml nor a file of src/questions answers the question ${id}`);
}

/** Functions that answer by comparing the response to a probe with other responses, by `compare` of the question. */
const comparisons = {
  list: compareList,
  rules: compareRules,
  record: (observation: Observation) =>
    certain(observation.content?.hasRecord ? 'a record' : 'a success without a record', observation),
};

/** Joins the hashed identities of the fee rules of a response to one text, to compare lists; empty if there are none. */
const joinRules = (observation: Observation | undefined) =>
  observation?.content?.lists.fee_rules?.join() ?? '';

/** Answers with `other rules`, `the rules of the business` or `an empty list`, by comparison with `getFeeRules?type=business`. */
function compareRules(observation: Observation, { find }: Evidence): InferredAnswer {
  const ofBusiness = find('getFeeRules?type=business');
  const [rules, businessRules] = [joinRules(observation), joinRules(ofBusiness)];
  if (!isSuccess(ofBusiness) || businessRules === '')
    return unknown('there are no rules of the business to compare with', observation);
  if (rules !== '' && rules !== businessRules) return certain('other rules', observation);
  const { type, user_id = '' } = observation.parameters;
  const ofUser = find(`getFeeRules?type=user&user_id=${user_id}`);
  // With type=business and user_id, only rules of the user that differ would show whose rules are returned.
  const hasOwnRules = !['', businessRules].includes(joinRules(ofUser));
  if (type === 'business' && isSuccess(ofUser) && !hasOwnRules)
    return unknown('the user has no other rules, which would show whose are meant', observation, ofUser);
  return certain(rules === '' ? 'an empty list' : 'the rules of the business', observation);
}

/** Creates the answer that lists different texts in alphabetical order, or `none`. @param evidence where the texts are from */
const listTexts = (texts: string[], evidence: string): InferredAnswer => ({
  ...likely(sortUnique(texts).join(', ') || 'none'),
  evidence: [evidence],
});

/** Beginning of the answer "more than 12 different values", which stands instead of a list. */
export const tooManyValues = 'more than ';
/** Maximum number of different values that an answer lists, because a field with more values holds free text. */
const maxWords = 12;

/** Answers with the different values that successful responses hold at the places (`values`) of a question. */
const listValues: Inference = (evidence, { id, values = [] }) => {
  const { total, texts } = sumTallies(id, evidence);
  if (total === 0) return unknown('no response to infer this from');
  const isVocabulary = texts.length <= maxWords;
  const vocabulary = isVocabulary ? texts : [`${tooManyValues}${maxWords} different values`];
  return listTexts(vocabulary, `${total} values at ${values.join(', ')}`);
};

/** Sums what the responses hold at the places of a question: the number of values, and their different texts, sorted. */
function sumTallies(id: string, { recorded }: Evidence): { total: number; texts: string[] } {
  const tallies = recorded
    .filter(isSuccess)
    .flatMap(({ content }) => Object.entries(content?.tallies[id] ?? {}));
  const texts = sortUnique(tallies.map(([text]) => text));
  return { total: tallies.reduce((sum, [, count]) => sum + count, 0), texts };
}

/** Answers how often payment tokens of each type carry a card: "AlipayAutoDebit never, CreditCard always". */
const inferCardPresence: Inference = (evidence, { id }) => {
  const { total, texts } = sumTallies(id, evidence);
  if (total === 0) return unknown('no payment token was seen');
  // A text is `type` for tokens without a card, and `type with card` for tokens with one.
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

/** Answers whether the response to a probe is JSON or of another media type, or how it was rejected. */
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

/** Answers with the headers that a question looks at, each with the listed words in its values: "cache-control (no-store)". */
const listHeaders: Inference = ({ recorded }, { id }) => {
  const headers = recorded.flatMap(({ content }) => Object.entries(content?.headers[id] ?? {}));
  const texts = headers.map(([name]) => {
    const words = sortUnique(headers.flatMap(([header, values]) => (header === name ? values : [])));
    return words.length > 0 ? `${name} (${words.join(' ')})` : name;
  });
  return listTexts(texts, `headers of ${recorded.length} answers`);
};

/** Answers with the parameters of Content-Type in successful responses, such as `charset=utf-8`, or `none`. */
const listMediaTypeParameters: Inference = ({ recorded }) => {
  const successes = recorded.filter(isSuccess);
  const names = successes.flatMap(({ content }) => {
    const { mediaTypeParameters: parameters = [] } = content ?? {};
    return parameters.length === 0 ? ['none'] : parameters;
  });
  return listTexts(names, `Content-Type of ${successes.length} answers`);
};

/** Answers how a request without credentials is answered. If none are configured, every request of the run was one. */
const inferWithoutCredentials: Inference = (evidence, question) =>
  evidence.hasCredentials
    ? probed((observation) => certain('answered', observation))(evidence, question)
    : certain('answered', ...evidence.recorded.filter(isSuccess).sort(compareRequests).slice(0, 1));

/** Functions that answer a question, by its id, for questions whose entry in `spec/questions.yaml` does not say how. */
const inferences: Record<string, Inference> = {
  ...customers,
  ...pageSequences,
  'credit-card-presence': inferCardPresence,
  'media-type-parameters': listMediaTypeParameters,
  'no-credentials': inferWithoutCredentials,
  'refusal-form': listErrorForms,
};

/** Words an answer for readers: as `says` of its question has it, else "refused as 404" is "rejected with HTTP 404". */
export function phraseAnswer({ says = {} }: Pick<Question, 'says'>, answer: string): string {
  const text = answer
    .replace(/^refused as (\d{3})$/, 'rejected with HTTP $1')
    .replace(/^refused/, 'rejected')
    .replace(/^answered HTTP/, 'answered with HTTP')
    .replace(/^server error/, 'a server error,');
  // `…` in `says` introduces any answer that `says` does not list.
  const isOther = says['…'] !== undefined && answer !== 'unknown';
  return says[answer] ?? (isOther ? `${says['…']}: ${text}` : text);
}
