import { hash } from 'node:crypto';
import { isPublic } from '../../schemas/contract/classification.ts';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { comparable } from '../../schemas/contract/identifiers.ts';
import { isObjectOrArray, isRecord, parse, textOf, valueAt } from '../../schemas/json.ts';
import {
  classify,
  isServerFault,
  partsOf,
  payloadOf,
  type ResponseKind,
} from '../../schemas/judge/classify.ts';
import type { HttpResponse } from '../../schemas/judge/judged.ts';
import {
  type Effort,
  effortOf,
  type HttpClient,
  type RequestOverrides,
  requestKey,
} from '../client/http-client.ts';
import type { Blocked } from '../client/reasons.ts';
import { sweptList } from '../operations/listCustomers.ts';
import { describeCode, describeName } from '../redact/describe-value.ts';
import { type Shows, showsOf } from '../redact/disclosure.ts';
import type { Secrets } from '../redact/secrets.ts';
import { type Tally, tallyOf } from './values.ts';

/** A request with what little is kept of its response to answer questions. */
export interface Digest extends Effort, Content {
  operation: string | undefined;
  path: string;
  parameters: URLSearchParams;
  /** The request without identifiers. */
  exchange: string;
  /** Set where the same request was sent before. */
  again?: true | undefined;
  status?: number;
  bytes?: number;
  /** Why there is no response. */
  blocked?: string;
}

interface Content {
  /** What the response is; undefined where there is none that could be read. */
  kind?: ResponseKind;
  /** The same in words, where it is no success. */
  label: string;
  contentType: string;
  headers: Readonly<Record<string, string>>;
  /** The form that it would have as an error response. */
  form: string;
  /** Headers and fields that may announce how many records there are. */
  announcements: string[];
  /** The lists that it holds, by name: their length, and an identity of each element. */
  lists: Record<string, { count: number; ids: string[] }>;
  /** Whether it holds the record or the list that a success carries. */
  hasRecord: boolean;
  /** By question, what it shows of the values that this lists. */
  tallies: Record<string, Tally>;
}

/** A client that keeps a digest of each response that passes through it, by request; undefined while that is under way. */
export interface RecordingClient extends HttpClient {
  recorded: Map<string, Digest | undefined>;
  contract: Contract;
  mask(text: string): string;
  /** @param shown the path as it may be written, where nothing in it is a target's own */
  get(...request: [...Parameters<HttpClient['get']>, shown?: string]): ReturnType<HttpClient['get']>;
}

/** Keeps what questions need of each response. */
export function recordDigests(client: HttpClient, contract: Contract, secrets: Secrets): RecordingClient {
  const recorded: RecordingClient['recorded'] = new Map();
  const get: RecordingClient['get'] = async (path, breaker, overrides, shown = redactUrl(contract, path)) => {
    const key = requestKey(path, overrides);
    recorded.set(key, undefined);
    const answer = await client.get(path, breaker, overrides);
    const exchange = `GET ${shown}${noteOf(overrides)}`;
    const request = { path, exchange, again: overrides?.again };
    if ('notSent' in answer) recorded.delete(key);
    else recorded.set(key, digestOf(contract, secrets, request, answer));
    return answer;
  };
  return { ...client, get, recorded, contract, mask: secrets.mask };
}

function digestOf(
  contract: Contract,
  secrets: Secrets,
  request: Pick<Digest, 'path' | 'exchange' | 'again'>,
  answer: (HttpResponse | Blocked) & Effort,
): Digest {
  const { pathname, searchParams: parameters } = new URL(request.path, 'http://example.com');
  const operation = operationAt(contract, pathname);
  const own = { ...request, operation: operation?.id, parameters, ...effortOf(answer) };
  if ('blocked' in answer) return { ...own, ...nothing, blocked: secrets.mask(answer.blocked) };
  const { status, body } = answer;
  // As restricted as what was found by them. Only their words count, which percent-encoding divides.
  const inPath = routeOf(operation?.path ?? '').exec(pathname)?.groups ?? {};
  const identifiers = (operation?.parameters ?? [])
    .filter((one) => one['x-identifiers'])
    .map(({ name }) => (parameters.get(name) ?? inPath[name] ?? '').replace(/%../g, ' '));
  const content = contentOf(contract, secrets, operation, answer, identifiers);
  return { ...own, ...content, status, bytes: body.length };
}

const routeOf = (path: string) => new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);

/** The operation that a path belongs to. */
const operationAt = ({ operations }: Contract, route: string): Operation | undefined =>
  operations.find(({ path }) => routeOf(path).test(route));

/** A path as it may be written: parameters whose values are not public are named alone. */
function redactUrl(contract: Contract, path: string): string {
  const [route = '', query] = path.split('?');
  const { path: described = route, parameters = [] } = operationAt(contract, route) ?? {};
  const pairs = query?.split('&').map((pair) => {
    const [name = '', value] = pair.split('=');
    const isHidden = value && parameters.some((one) => one.name === name && !isPublic(one));
    return isHidden ? `${name}={${name}}` : shortened(pair);
  });
  return pairs ? `${described}?${pairs.join('&')}` : described;
}

/** A path whose long value is cut. */
export const shortened = (path: string) => path.replace(/=([^&=]{8})[^&=]{33,}/g, '=$1…');

const noteOf = ({ accept, anonymous, again }: RequestOverrides = {}) =>
  (accept ? ` with Accept: ${accept}` : '') +
  (anonymous ? ' without credentials' : '') +
  (again ? ', asked again' : '');

const nothing: Content = {
  ...{ label: 'the answer could not be read', contentType: '', headers: {}, form: '' },
  ...{ announcements: [], lists: {}, hasRecord: false, tallies: {} },
};

function contentOf(
  contract: Contract,
  secrets: Secrets,
  own: Operation | undefined,
  answer: HttpResponse,
  identifiers: string[],
): Content {
  // What belongs to no operation is read by the envelope that all of them share.
  const operation = own ?? (contract.operations[0] as Operation);
  // One odd response must not cost the rest of the run.
  try {
    const { body, headers } = answer;
    const { 'content-type': contentType = '' } = headers;
    // Nothing is judged here: what a strict reading would find out has no bearing on an answer.
    const value = parse(textOf(body))?.value;
    const { kind: found, code, hasRecord } = classify(operation, answer, { value });
    const { hasSuccessCode, hasPayload } = partsOf(operation, value);
    // What the request was answered with is neither a success nor an error code, such as a page for browsers.
    const kind = found === 'success' && !hasSuccessCode && !hasPayload ? 'rejection' : found;
    const shows = showsOf(secrets, value, operation.schema, identifiers);
    const asked = contract.questions.filter(({ values }) => values && own && kind === 'success');
    return {
      ...{ kind, hasRecord, contentType, headers },
      label: labelOf(kind, code, shows),
      form: formOf(answer, value, shows),
      announcements: [...named('header', headers, shows), ...named('field', value, shows)],
      lists: listsIn(contract, value),
      tallies: Object.fromEntries(asked.map((one) => [one.id, tallyOf(one, operation, value, shows)])),
    };
  } catch {
    return nothing;
  }
}

function labelOf(kind: ResponseKind, code: number, shows: Shows): string {
  if (kind === 'other') return `answered HTTP ${code}`;
  if (isServerFault(kind)) return `server error ${code}`;
  return `refused as ${describeCode(String(code), shows)}`;
}

/** Beyond this an error is no record of a known form. */
const maxFields = 12;

function formOf({ status, body, headers }: HttpResponse, value: unknown, shows: Shows): string {
  const names = isRecord(value) ? Object.keys(value) : [];
  const isKnown = names.length > 0 && names.length <= maxFields;
  const fields = isKnown
    ? [...new Set(names.map((name) => describeName(name, shows)))].sort().join(', ')
    : 'other fields';
  const page = /html/i.test(headers['content-type'] ?? '') ? 'an HTML page' : 'another body';
  const held = isObjectOrArray(value) ? `JSON of ${fields}` : body.length === 0 ? 'no body' : page;
  return `HTTP ${`${status}`.replace(/^4..$/, '4xx')} with ${held}`;
}

const announcing = {
  header: /^(x-)?(total|count)(-[a-z]+)*$|^[a-z-]*-(total|count)$|^content-range$|^link$/,
  field: /^(total|count|page|pages|has_more|next|next_page|total_[a-z]+|[a-z]+_count)$/,
};

/** Names of headers, or of fields of a body and of its objects, that may announce how many records there are. */
function named(kind: 'header' | 'field', record: unknown, shows: Shows): string[] {
  if (!isRecord(record)) return [];
  const below = kind === 'field' ? Object.values(record).filter(isRecord) : [];
  return [record, ...below]
    .flatMap((one) => Object.keys(one).filter((name) => announcing[kind].test(name)))
    .map((name) => `${kind} ${describeName(name, shows)}`);
}

function listsIn({ operations }: Contract, value: unknown): Content['lists'] {
  const lists: Content['lists'] = {};
  for (const operation of operations)
    for (const name of Object.keys(payloadOf(operation)?.properties ?? {})) {
      const place = `${operation.envelope.payload}/${name}`;
      const list = valueAt(value, place);
      if (!Array.isArray(list)) continue;
      const key = place === sweptList.pointer ? `/${sweptList.key}` : '';
      const ids = list.map((one) => identityOf(valueAt(one, key) || one));
      lists[name] = { count: list.length, ids };
    }
  return lists;
}

/** Of a key, or of a record that lacks one: nothing can be read from it. */
function identityOf(key: unknown): string {
  const text = typeof key === 'string' ? comparable(key) : JSON.stringify(key);
  return hash('sha256', text, 'base64url');
}
