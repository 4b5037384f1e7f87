import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { normalizeIdentifier } from '../../schemas/contract/identifiers.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import { getValue, isObjectOrArray, isRecord } from '../../schemas/json.ts';
import {
  getPayloadSchema,
  inspectEnvelope,
  isServerFault,
  readMediaType,
} from '../../schemas/judge/classify.ts';
import type { Exchange, HttpResponse, JudgedResponse } from '../../schemas/judge/judged.ts';
import { sweptList } from '../operations/listCustomers.ts';
import { describeCode, describeName } from '../redact/describe-value.ts';
import type { DisclosureFilter } from '../redact/disclosure.ts';
import type { HashText } from '../redact/keyed-hash.ts';
import type { ResponseContent } from '../redact/observation.ts';
import type { ReadContent } from '../redact/redact.ts';
import { sortUnique } from './evidence.ts';
import { countValues } from './values.ts';

/**
 * Creates a function that reads the parts of a response that help to answer open questions.
 * @param hashText hash function. All responses of a run need a hash function with the same key.
 */
export function createContentReader({ operations, questions }: Contract, hashText: HashText): ReadContent {
  return function readContent(exchange, judgement, mayShow) {
    if (isUnreadableSuccess(exchange, judgement)) return undefined;
    const { operation, response } = exchange;
    const { body, hasRecord } = judgement;
    // A page such as HTML with HTTP 200 has no envelope of this API, so it counts as a rejection.
    const kind = isFromOtherApi(exchange, judgement) ? 'rejection' : judgement.kind;
    const isSuccess = kind === 'success';
    const describeError = () => ({
      label: labelError({ ...judgement, kind }, mayShow),
      body: describeBody(response, body, mayShow),
    });
    return {
      kind,
      hasRecord,
      error: isSuccess ? undefined : describeError(),
      announcements: [
        ...listPagingHints('header', response.headers, mayShow),
        ...listPagingHints('field', body, mayShow),
      ],
      lists: hashLists(operations, body, hashText),
      tallies: isSuccess ? tallyValues(questions, operation, body, mayShow) : {},
      headersByQuestion: pickHeaderWords(questions, response),
      mediaTypeParameters: readMediaTypeParameters(response),
    };
  };
}

function tallyValues(
  questions: Question[],
  operation: Operation,
  body: unknown,
  mayShow: DisclosureFilter,
): ResponseContent['tallies'] {
  const tallies: ResponseContent['tallies'] = {};
  for (const question of questions) {
    const valueCounts = countValues(question, operation, body, mayShow);
    if (Object.keys(valueCounts).length > 0) tallies[question.id] = valueCounts;
  }
  return tallies;
}

function isUnreadableSuccess(
  { operation, response }: Exchange,
  { kind, unreadable }: JudgedResponse,
): boolean {
  const hasDocumentedMediaType = readMediaType(response) === operation.mediaType;
  const isUnreadableJson = unreadable === 'not UTF-8' || unreadable === 'nested too deeply';
  return kind === 'success' && hasDocumentedMediaType && isUnreadableJson;
}

function isFromOtherApi({ operation }: Exchange, { kind, body }: JudgedResponse): boolean {
  const { hasSuccessCode, hasPayload } = inspectEnvelope(operation, body);
  return kind === 'success' && !hasSuccessCode && !hasPayload;
}

function labelError({ kind, code: statusOrErrorCode }: JudgedResponse, mayShow: DisclosureFilter): string {
  const shownCode = describeCode(String(statusOrErrorCode), mayShow);
  if (kind === 'other') return `answered HTTP ${shownCode}`;
  if (isServerFault(kind)) return `server error ${shownCode}`;
  return `refused as ${shownCode}`;
}

const maxFields = 12;

function describeBody(
  { body, headers }: HttpResponse,
  parsedBody: unknown,
  mayShow: DisclosureFilter,
): string {
  if (isObjectOrArray(parsedBody)) return `JSON of ${describeFields(parsedBody, mayShow)}`;
  if (body.length === 0) return 'no body';
  return /html/i.test(headers['content-type'] ?? '') ? 'an HTML page' : 'another body';
}

function describeFields(body: object, mayShow: DisclosureFilter): string {
  const fields = isRecord(body) ? Object.entries(body) : [];
  if (fields.length === 0 || fields.length > maxFields) return 'other fields';
  const descriptions = fields.map(([name, value]) => `\`${describeName(name, mayShow)}\` ${nameType(value)}`);
  return sortUnique(descriptions).join(', ');
}

function nameType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

const pagingHintPatterns = {
  header: /^(x-)?(total|count)(-[a-z]+)*$|^[a-z-]*-(total|count)$|^content-range$|^link$/,
  field: /^(total|count|page|pages|has_more|next|next_page|total_[a-z]+|[a-z]+_count)$/,
};

function listPagingHints(
  kind: 'header' | 'field',
  headersOrBody: unknown,
  mayShow: DisclosureFilter,
): string[] {
  if (!isRecord(headersOrBody)) return [];
  // A field such as `total` may stand at the top of the body, or one level below: in `data`.
  const nestedObjects = kind === 'field' ? Object.values(headersOrBody).filter(isRecord) : [];
  const names = [headersOrBody, ...nestedObjects].flatMap((object) => Object.keys(object));
  const hintNames = names.filter((name) => pagingHintPatterns[kind].test(name));
  return hintNames.map((name) => `${kind} ${describeName(name, mayShow)}`);
}

/**
 * Hashes the records of the documented lists in a body: `{ "customers": ["9f86d0", "60303a"] }`. For a customer with a `uuid`, only
 * the `uuid` is hashed. For any other record, all fields are hashed.
 */
function hashLists(
  operations: Contract['operations'],
  body: unknown,
  hashText: HashText,
): ResponseContent['lists'] {
  const lists: ResponseContent['lists'] = {};
  // A target may respond to a probe with the list of another operation, so this looks for the lists of all operations.
  for (const operation of operations) {
    const payloadFields = Object.keys(getPayloadSchema(operation)?.properties ?? {});
    for (const name of payloadFields) {
      const pointer = `${operation.envelope.payload}/${name}`;
      const list = getValue(body, pointer);
      if (!Array.isArray(list)) continue;
      const isCustomerList = pointer === sweptList.pointer;
      // A fee rule has no `uuid`, so its hash depends on all of its fields.
      const identify = isCustomerList ? identifyByUuid : formatIdentity;
      lists[name] = list.map((record) => hashText(identify(record)));
    }
  }
  return lists;
}

const identifyByUuid = (customer: unknown): string =>
  formatIdentity(getValue(customer, `/${sweptList.key}`) || customer);

const formatIdentity = (uuidOrRecord: unknown): string =>
  typeof uuidOrRecord === 'string' ? normalizeIdentifier(uuidOrRecord) : JSON.stringify(uuidOrRecord);

function pickHeaderWords(
  questions: Question[],
  response: HttpResponse,
): ResponseContent['headersByQuestion'] {
  const wordsByQuestion: ResponseContent['headersByQuestion'] = {};
  for (const { id, headers: namePattern, words: wordPattern } of questions) {
    if (namePattern === undefined) continue;
    const pattern = new RegExp(namePattern);
    const matchingHeaders = Object.entries(response.headers).filter(([name]) => pattern.test(name));
    if (matchingHeaders.length === 0) continue;
    const wordsByHeader = matchingHeaders.map(
      ([name, value]) => [name, findWords(value, wordPattern)] as const,
    );
    wordsByQuestion[id] = Object.fromEntries(wordsByHeader);
  }
  return wordsByQuestion;
}

function findWords(headerValue: string, wordPattern: string | undefined): string[] {
  if (wordPattern === undefined) return [];
  const wholeWord = new RegExp(`\\b(${wordPattern})\\b`, 'g');
  return headerValue.toLowerCase().match(wholeWord) ?? [];
}

/** Matches a parameter of Content-Type that reports may show: `charset=utf-8`, `version=1`. */
const publicParameterPattern = /^(charset=(utf-8|us-ascii|iso-8859-1)|version=\d{1,2})$/;

function readMediaTypeParameters({ headers }: HttpResponse): string[] {
  const contentType = headers['content-type'] ?? '';
  const withoutQuotesAndSpaces = contentType.toLowerCase().replace(/[" ]/g, '');
  const [_mediaType, ...parameters] = withoutQuotesAndSpaces.split(';');
  return parameters.map((parameter) => (publicParameterPattern.test(parameter) ? parameter : 'another one'));
}
