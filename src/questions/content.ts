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
 * Creates the function that extracts the redacted content of a response, from which open questions are answered. The function
 * returns undefined for a success with unreadable JSON: not UTF-8, or nested too deeply.
 * @param hashText hash with one key for the whole run, because hashes of different responses are compared
 */
export function createContentReader({ operations, questions }: Contract, hashText: HashText): ReadContent {
  return function readContent(exchange, judgement, mayShow) {
    if (isUnreadableSuccess(exchange, judgement)) return undefined;
    const { operation, response } = exchange;
    const { body, hasRecord } = judgement;
    // A page of another API, such as HTML with HTTP 200, counts as refused.
    const kind = isFromOtherApi(exchange, judgement) ? 'rejection' : judgement.kind;
    const isSuccess = kind === 'success';
    return {
      kind,
      hasRecord,
      error: isSuccess
        ? undefined
        : { label: labelError({ ...judgement, kind }, mayShow), body: describeBody(response, body, mayShow) },
      announcements: [
        ...listPagingHints('header', response.headers, mayShow),
        ...listPagingHints('field', body, mayShow),
      ],
      lists: hashLists(operations, body, hashText),
      tallies: isSuccess ? tallyValues(questions, operation, body, mayShow) : {},
      headers: pickHeaderWords(questions, response),
      mediaTypeParameters: readMediaTypeParameters(response),
    };
  };
}

/** Counts the values that each question asks for, keyed by the id of the question: `{ "card-statuses": { "Active": 2 } }`. */
const tallyValues = (
  questions: Question[],
  operation: Operation,
  body: unknown,
  mayShow: DisclosureFilter,
): ResponseContent['tallies'] =>
  withoutEmpty(questions.map((question) => [question.id, countValues(question, operation, body, mayShow)]));

function isUnreadableSuccess(
  { operation, response }: Exchange,
  { kind, unreadable }: JudgedResponse,
): boolean {
  const hasDocumentedMediaType = readMediaType(response) === operation.mediaType;
  const isUnreadableJson = unreadable === 'not UTF-8' || unreadable === 'nested too deeply';
  return kind === 'success' && hasDocumentedMediaType && isUnreadableJson;
}

/** Returns whether a response counts as a success, but has neither the code nor the payload of this API (contract section 2.1). */
function isFromOtherApi({ operation }: Exchange, { kind, body }: JudgedResponse): boolean {
  const { hasSuccessCode, hasPayload } = inspectEnvelope(operation, body);
  return kind === 'success' && !hasSuccessCode && !hasPayload;
}

/** Formats the HTTP status of an error, or the code in its body: "refused as 404", "server error 500", "answered HTTP 302". */
function labelError({ kind, code: statusOrErrorCode }: JudgedResponse, mayShow: DisclosureFilter): string {
  const shownCode = describeCode(String(statusOrErrorCode), mayShow);
  if (kind === 'other') return `answered HTTP ${shownCode}`;
  if (isServerFault(kind)) return `server error ${shownCode}`;
  return `refused as ${shownCode}`;
}

const maxFields = 12;

/** Describes a body by its fields, without values: "JSON of `code` integer, `message` string", "an HTML page", "no body". */
function describeBody(
  { body, headers }: HttpResponse,
  parsedBody: unknown,
  mayShow: DisclosureFilter,
): string {
  if (isObjectOrArray(parsedBody)) return `JSON of ${describeFields(parsedBody, mayShow)}`;
  if (body.length === 0) return 'no body';
  return /html/i.test(headers['content-type'] ?? '') ? 'an HTML page' : 'another body';
}

/** Lists names and types of fields: "`code` integer, `data` null". Returns "other fields" for an array, no field, or more than 12. */
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

/** Lists headers or fields that may give the length of a list or its next page: "header x-total-count". Also looks into objects. */
function listPagingHints(
  kind: 'header' | 'field',
  headersOrBody: unknown,
  mayShow: DisclosureFilter,
): string[] {
  if (!isRecord(headersOrBody)) return [];
  const nestedObjects = kind === 'field' ? Object.values(headersOrBody).filter(isRecord) : [];
  const names = [headersOrBody, ...nestedObjects].flatMap((object) => Object.keys(object));
  const hintNames = names.filter((name) => pagingHintPatterns[kind].test(name));
  return hintNames.map((name) => `${kind} ${describeName(name, mayShow)}`);
}

/**
 * Hashes each record of the lists in a body, keyed by the name of the list, such as `customers`. Looks for the lists of all
 * operations, because a target may respond to a probe with the list of another operation.
 */
function hashLists(
  operations: Contract['operations'],
  body: unknown,
  hashText: HashText,
): ResponseContent['lists'] {
  const lists: ResponseContent['lists'] = {};
  for (const operation of operations)
    for (const name of Object.keys(getPayloadSchema(operation)?.properties ?? {})) {
      const pointer = `${operation.envelope.payload}/${name}`;
      const list = getValue(body, pointer);
      const isCustomerList = pointer === sweptList.pointer;
      // A fee rule has no `uuid`, so that all its fields identify it.
      const identify = isCustomerList ? identifyByUuid : formatIdentity;
      if (Array.isArray(list)) lists[name] = list.map((record) => hashText(identify(record)));
    }
  return lists;
}

const identifyByUuid = (customer: unknown): string =>
  formatIdentity(getValue(customer, `/${sweptList.key}`) || customer);

const formatIdentity = (uuidOrRecord: unknown): string =>
  typeof uuidOrRecord === 'string' ? normalizeIdentifier(uuidOrRecord) : JSON.stringify(uuidOrRecord);

/**
 * Extracts the headers that each question looks for, and from their values only the words that the question looks for. Keyed by id
 * of the question and header: `{ "caching-headers": { "cache-control": ["no-store"] } }`.
 */
function pickHeaderWords(questions: Question[], response: HttpResponse): ResponseContent['headers'] {
  const entries: [id: string, wordsByHeader: Record<string, string[]>][] = [];
  for (const { id, headers: namePattern, words } of questions) {
    if (namePattern === undefined) continue;
    const wordsByHeader: Record<string, string[]> = {};
    for (const [name, value] of Object.entries(response.headers))
      if (new RegExp(namePattern).test(name)) wordsByHeader[name] = findWords(value, words);
    entries.push([id, wordsByHeader]);
  }
  return withoutEmpty(entries);
}

/** @param wordPattern pattern of alternatives such as `no-store|private`; without it, no word is found */
function findWords(headerValue: string, wordPattern: string | undefined): string[] {
  if (wordPattern === undefined) return [];
  const wholeWord = new RegExp(`\\b(${wordPattern})\\b`, 'g');
  return headerValue.toLowerCase().match(wholeWord) ?? [];
}

const withoutEmpty = <Value extends object>(entries: [name: string, value: Value][]): Record<string, Value> =>
  Object.fromEntries(entries.filter(([, value]) => Object.keys(value).length > 0));

/** Parameters of Content-Type that reports may show: `charset=utf-8`, `version=1`. Any other parameter may hold private data. */
const publicParameterPattern = /^(charset=(utf-8|us-ascii|iso-8859-1)|version=\d{1,2})$/;

/** Lists the parameters of Content-Type, such as `charset=utf-8`. The text `another one` replaces a parameter with private data. */
function readMediaTypeParameters({ headers }: HttpResponse): string[] {
  const [, ...parameters] = (headers['content-type'] ?? '').toLowerCase().replace(/[" ]/g, '').split(';');
  return parameters.map((parameter) => (publicParameterPattern.test(parameter) ? parameter : 'another one'));
}
