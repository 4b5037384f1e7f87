import type { Contract } from '../../schemas/contract/contract.ts';
import { normalizeIdentifier } from '../../schemas/contract/identifiers.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import { getValue, isObjectOrArray, isRecord } from '../../schemas/json.ts';
import {
  getPayloadSchema,
  isServerFault,
  readMediaType,
  splitEnvelope,
} from '../../schemas/judge/classify.ts';
import type { Exchange, HttpResponse, Judged } from '../../schemas/judge/judged.ts';
import { sweptList } from '../operations/listCustomers.ts';
import { describeCode, describeName } from '../redact/describe-value.ts';
import type { DisclosureFilter } from '../redact/disclosure.ts';
import type { ResponseContent } from '../redact/observation.ts';
import type { ReadContent } from '../redact/redact.ts';
import type { HashOf } from '../relations/keyed-hash.ts';
import { sortUnique } from './sorting.ts';
import { countValues } from './values.ts';

/**
 * Creates the function with which `observe` reads what open questions need of a response, such as hashes of listed records. The
 * function returns undefined for a body that cannot be read.
 * @param hashOf keyed hash of a record's identity, with one key for the whole run, because lists are compared by their hashes
 */
export const createContentReader =
  ({ operations, questions }: Contract, hashOf: HashOf): ReadContent =>
  (exchange, judgement, shows) => {
    if (isUnreadable(exchange, judgement)) return undefined;
    const { operation, answer } = exchange;
    const { body, hasRecord } = judgement;
    const kind = isForeign(exchange, judgement) ? 'rejection' : judgement.kind;
    const talliedQuestions = kind === 'success' ? questions : [];
    return {
      ...{ kind, hasRecord },
      ...(kind === 'success' ? {} : { error: describeError(answer, { ...judgement, kind }, shows) }),
      announcements: [
        ...listAnnouncements('header', answer.headers, shows),
        ...listAnnouncements('field', body, shows),
      ],
      lists: hashLists(operations, body, hashOf),
      tallies: withoutEmpty(
        talliedQuestions.map((question) => [question.id, countValues(question, operation, body, shows)]),
      ),
      headers: readHeaders(questions, answer),
      mediaTypeParameters: readMediaTypeParameters(answer),
    };
  };

/** Checks for a success in JSON that this suite cannot read, because it is not UTF-8, or is nested too deeply. */
const isUnreadable = ({ operation, answer }: Exchange, { kind, unreadable }: Judged): boolean =>
  kind === 'success' &&
  (unreadable === 'not UTF-8' || unreadable === 'nested too deeply') &&
  readMediaType(answer) === operation.mediaType;

/** Checks for a body with the status of a success that has no part of the success envelope, such as an HTML page. */
function isForeign({ operation }: Exchange, { kind, body }: Judged): boolean {
  const { hasSuccessCode, hasPayload } = splitEnvelope(operation, body);
  return kind === 'success' && !hasSuccessCode && !hasPayload;
}

type ErrorResponse = Pick<Judged, 'kind' | 'code' | 'body'>;

/** Describes an error response by its code, "refused as 404", and the form of its body, "JSON of `code` integer". */
const describeError = (
  answer: HttpResponse,
  error: ErrorResponse,
  shows: DisclosureFilter,
): ResponseContent['error'] => ({
  label: labelError(error, shows),
  body: describeBody(answer, error, shows),
});

/** Formats the code of an error response, of HTTP or of the body: "refused as 404", "server error 500", "answered HTTP 302". */
function labelError({ kind, code }: ErrorResponse, shows: DisclosureFilter): string {
  const shownCode = describeCode(String(code), shows);
  if (kind === 'other') return `answered HTTP ${shownCode}`;
  if (isServerFault(kind)) return `server error ${shownCode}`;
  return `refused as ${shownCode}`;
}

/** Maximum number of fields of an error response that are named. */
const maxFields = 12;

/** Describes the body of an error response: "JSON of `code` integer, `message` string", "an HTML page", "no body". */
function describeBody(
  { body, headers }: HttpResponse,
  error: ErrorResponse,
  shows: DisclosureFilter,
): string {
  if (isObjectOrArray(error.body)) return `JSON of ${describeFields(error.body, shows)}`;
  if (body.length === 0) return 'no body';
  return /html/i.test(headers['content-type'] ?? '') ? 'an HTML page' : 'another body';
}

/** Lists the fields of a body by name, each with its type: "`code` integer, `data` null"; "other fields" if there are too many. */
function describeFields(body: object, shows: DisclosureFilter): string {
  const fields = isRecord(body) ? Object.entries(body) : [];
  if (fields.length === 0 || fields.length > maxFields) return 'other fields';
  return sortUnique(
    fields.map(([name, value]) => `\`${describeName(name, shows)}\` ${describeType(value)}`),
  ).join(', ');
}

/** Names the JSON type of a value: "integer", "null", "array". */
function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

/** Names of headers, and of fields, that may announce how many records or pages there are, such as `x-total-count`. */
const announcements = {
  header: /^(x-)?(total|count)(-[a-z]+)*$|^[a-z-]*-(total|count)$|^content-range$|^link$/,
  field: /^(total|count|page|pages|has_more|next|next_page|total_[a-z]+|[a-z]+_count)$/,
};

/**
 * Lists the names that may announce how many records there are: "header x-total-count", "field total". Of a body, looks at its
 * fields and at those of the objects in them. @param record headers, or the body
 */
function listAnnouncements(kind: 'header' | 'field', record: unknown, shows: DisclosureFilter): string[] {
  if (!isRecord(record)) return [];
  const below = kind === 'field' ? Object.values(record).filter(isRecord) : [];
  return [record, ...below]
    .flatMap((fields) => Object.keys(fields).filter((name) => announcements[kind].test(name)))
    .map((name) => `${kind} ${describeName(name, shows)}`);
}

/** Hashes the identity of each element of every list in the body that any operation documents, keyed by the name of the list. */
function hashLists(
  operations: Contract['operations'],
  body: unknown,
  hashOf: HashOf,
): ResponseContent['lists'] {
  const lists: ResponseContent['lists'] = {};
  for (const operation of operations)
    for (const name of Object.keys(getPayloadSchema(operation)?.properties ?? {})) {
      const pointer = `${operation.envelope.payload}/${name}`;
      const list = getValue(body, pointer);
      if (!Array.isArray(list)) continue;
      // Customers have a key; other records, such as fee rules, are identified by all of their fields.
      const key = pointer === sweptList.pointer ? `/${sweptList.key}` : '';
      lists[name] = list.map((element) => hashOf(identityText(getValue(element, key) || element)));
    }
  return lists;
}

/** Returns the text that identifies a record. @param key text of its key, or the whole record if that has no key */
const identityText = (key: unknown): string =>
  typeof key === 'string' ? normalizeIdentifier(key) : JSON.stringify(key);

/** Pattern that no header name and no word matches, for a question that lists none. */
const matchesNothing = '$^';

/** Reads the headers that questions look at, keyed by id of the question. Keeps only words of values that the question lists. */
const readHeaders = (questions: Question[], { headers }: HttpResponse): ResponseContent['headers'] =>
  withoutEmpty(
    questions.map(({ id, headers: names = matchesNothing, words = matchesNothing }) => {
      const namePattern = new RegExp(names);
      const wordPattern = new RegExp(`\\b(${words})\\b`, 'g');
      const matching = Object.entries(headers).filter(([header]) => namePattern.test(header));
      const wordsByHeader = matching.map(([header, value]) => [
        header,
        value.toLowerCase().match(wordPattern) ?? [],
      ]);
      return [id, Object.fromEntries(wordsByHeader)];
    }),
  );

/** Creates an object of pairs of name and value. Leaves out pairs whose value is an empty object. */
const withoutEmpty = <Value extends object>(entries: [name: string, value: Value][]): Record<string, Value> =>
  Object.fromEntries(entries.filter(([, value]) => Object.keys(value).length > 0));

/** Parameters of Content-Type that may be shown, such as `charset=utf-8`. */
const commonParameter = /^(charset=(utf-8|us-ascii|iso-8859-1)|version=\d{1,2})$/;

/** Lists the parameters of Content-Type, such as `charset=utf-8`; `another one` for an uncommon one, which may hold anything. */
function readMediaTypeParameters({ headers }: HttpResponse): string[] {
  const [, ...parameters] = (headers['content-type'] ?? '').toLowerCase().replace(/[" ]/g, '').split(';');
  return parameters.map((parameter) => (commonParameter.test(parameter) ? parameter : 'another one'));
}
