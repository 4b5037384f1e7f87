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
import { countValues } from './values.ts';

/**
 * Creates the reader of what open questions need of a judged response, which `observe` calls.
 * @param hashOf keyed hash of record identities; one key for all requests of a run, because lists are compared by it
 */
export const createContentReader =
  ({ operations, questions }: Contract, hashOf: HashOf): ReadContent =>
  (exchange, judgement, shows) => {
    if (isUnreadable(exchange, judgement)) return undefined;
    const { operation, answer } = exchange;
    const { body, hasRecord } = judgement;
    const kind = isForeign(exchange, judgement) ? 'rejection' : judgement.kind;
    const tallied = kind === 'success' ? questions : [];
    return {
      ...{ kind, hasRecord },
      ...(kind === 'success' ? {} : { error: describeError(answer, { ...judgement, kind }, shows) }),
      announcements: [...announcing('header', answer.headers, shows), ...announcing('field', body, shows)],
      lists: hashLists(operations, body, hashOf),
      tallies: withoutEmpty(
        tallied.map((question) => [question.id, countValues(question, operation, body, shows)]),
      ),
      headers: readHeaders(questions, answer),
      mediaTypeParameters: readMediaTypeParameters(answer),
    };
  };

/** Checks that a success holds text that this suite does not read: in another encoding than UTF-8, or nested too deeply. */
const isUnreadable = ({ operation, answer }: Exchange, { kind, unreadable }: Judged): boolean =>
  kind === 'success' &&
  (unreadable === 'not UTF-8' || unreadable === 'nested too deeply') &&
  readMediaType(answer) === operation.mediaType;

/** Checks that a body with the status of a success is neither a success nor an error code, such as a page for browsers. */
function isForeign({ operation }: Exchange, { kind, body }: Judged): boolean {
  const { hasSuccessCode, hasPayload } = splitEnvelope(operation, body);
  return kind === 'success' && !hasSuccessCode && !hasPayload;
}

type ErrorResponse = Pick<Judged, 'kind' | 'code' | 'body'>;

const describeError = (
  answer: HttpResponse,
  error: ErrorResponse,
  shows: DisclosureFilter,
): ResponseContent['error'] => ({
  label: labelError(error, shows),
  form: describeForm(answer, error, shows),
});

function labelError({ kind, code }: ErrorResponse, shows: DisclosureFilter): string {
  const shownCode = describeCode(String(code), shows);
  if (kind === 'other') return `answered HTTP ${shownCode}`;
  if (isServerFault(kind)) return `server error ${shownCode}`;
  return `refused as ${shownCode}`;
}

/** The most fields that an error response of a known form has. */
const maxFields = 12;

function describeForm(
  { status, body, headers }: HttpResponse,
  error: ErrorResponse,
  shows: DisclosureFilter,
): string {
  const names = isRecord(error.body) ? Object.keys(error.body) : [];
  const isKnown = names.length > 0 && names.length <= maxFields;
  const fields = isKnown
    ? [...new Set(names.map((name) => describeName(name, shows)))].sort().join(', ')
    : 'other fields';
  const page = /html/i.test(headers['content-type'] ?? '') ? 'an HTML page' : 'another body';
  const text = body.length === 0 ? 'no body' : page;
  const content = isObjectOrArray(error.body) ? `JSON of ${fields}` : text;
  return `HTTP ${`${status}`.replace(/^4..$/, '4xx')} with ${content}`;
}

const announcements = {
  header: /^(x-)?(total|count)(-[a-z]+)*$|^[a-z-]*-(total|count)$|^content-range$|^link$/,
  field: /^(total|count|page|pages|has_more|next|next_page|total_[a-z]+|[a-z]+_count)$/,
};

/** Lists the headers, or the fields of a body and of its objects, that may announce how many records there are. */
function announcing(kind: 'header' | 'field', record: unknown, shows: DisclosureFilter): string[] {
  if (!isRecord(record)) return [];
  const below = kind === 'field' ? Object.values(record).filter(isRecord) : [];
  return [record, ...below]
    .flatMap((fields) => Object.keys(fields).filter((name) => announcements[kind].test(name)))
    .map((name) => `${kind} ${describeName(name, shows)}`);
}

/** Hashes the identity of each element of the lists that the contract documents. */
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
      const key = pointer === sweptList.pointer ? `/${sweptList.key}` : '';
      lists[name] = list.map((element) => hashOf(identityText(getValue(element, key) || element)));
    }
  return lists;
}

/** Returns the text that identifies a record: its key, or all of a record that lacks one. */
const identityText = (key: unknown): string =>
  typeof key === 'string' ? normalizeIdentifier(key) : JSON.stringify(key);

/** Pattern that no text matches. */
const matchesNothing = '$^';

/** Reads the headers that questions look at: names that `spec/questions.yaml` lists, and of values the words listed there. */
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

/** Creates an object of entries, without the entries whose value is an empty object. */
const withoutEmpty = <Value extends object>(entries: [name: string, value: Value][]): Record<string, Value> =>
  Object.fromEntries(entries.filter(([, value]) => Object.keys(value).length > 0));

const commonParameter = /^(charset=(utf-8|us-ascii|iso-8859-1)|version=\d{1,2})$/;

/** Lists the parameters of Content-Type; an uncommon parameter is not named. */
function readMediaTypeParameters({ headers }: HttpResponse): string[] {
  const [, ...parameters] = (headers['content-type'] ?? '').toLowerCase().replace(/[" ]/g, '').split(';');
  return parameters.map((parameter) => (commonParameter.test(parameter) ? parameter : 'another one'));
}
