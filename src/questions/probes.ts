import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import {
  type CircuitBreaker,
  type HttpClient,
  pickEffort,
  type RequestOverrides,
} from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import {
  type Argument,
  createMockExchange,
  createPublicArgument,
  listConfiguredArguments,
  type RequestContext,
} from '../operations/request.ts';
import { addressInShell, buildCurlCommand } from '../redact/curl.ts';
import { dropJudgement, type Observation, type Request } from '../redact/observation.ts';
import { createBlockedObservation, type JudgeOptions, observe, type ReadContent } from '../redact/redact.ts';

/** Contract, target and client with which probes are sent, and the secrets to redact from their responses. */
export interface ProbeContext extends Pick<JudgeOptions, 'secrets'>, Pick<RequestContext, 'keepsExchanges'> {
  contract: Contract;
  target: Target;
  client: Pick<HttpClient, 'get'>;
  /**
   * Function that reads what open questions need of a response. Must be the one of the ordinary requests, because hashes are
   * compared.
   */
  readContent: ReadContent;
}

/** Probe: a request whose response the contract does not determine, such as `GET /customers?limit=-1`. */
export interface Probe {
  /** Operation that a probe requests; undefined if its path belongs to no operation, such as one with a slash at its end. */
  operation: Operation | undefined;
  /** Path and query of a probe as sent, such as `/svc/payment/api/v1/openapi/customers?limit=-1`. */
  path: string;
  /** Probe as reports show it, with labels such as `{USER_IDS[0]}` in place of identifiers. */
  request: Request;
  /** Differences of a probe from an ordinary request: another `Accept`, no credentials, or that it repeats a request. */
  overrides: RequestOverrides;
}

/** Probe with the open question that its response answers. */
export interface QuestionProbe extends Probe {
  /** Open question of `spec/questions.yaml` that the response to a probe answers. */
  question: Question;
}

/** Lists the probes of all open questions. Leaves out probes without credentials if the configuration has no credentials. */
export function listProbes(contract: Contract, target: Target): QuestionProbe[] {
  const questions = contract.questions.filter(({ anonymous }) => !anonymous || hasCredentials(target));
  return questions.flatMap((question) =>
    (question.requests ?? []).map((text) => {
      const { accept, anonymous } = question;
      const overrides = { ...(accept && { accept }), ...(anonymous && { anonymous }) };
      return { question, ...createProbe({ contract, target }, text, overrides) };
    }),
  );
}

/** Returns whether the configuration has credentials: `API_HEADERS`, `AUTH_MODULE`, `TOKEN_URL`, or a user in `BASE_URL`. */
export function hasCredentials({ headers, authModule, token, baseUrl }: Target): boolean {
  const hasUser = baseUrl !== undefined && new URL(baseUrl).username !== '';
  return Object.keys(headers).length > 0 || authModule !== undefined || token !== undefined || hasUser;
}

/**
 * Creates a probe from a text such as `listCustomers?limit=-1` or `getCard/not-a-uuid`, as `requests` of a question in
 * `spec/questions.yaml` has it.
 */
export function createProbe(
  { contract, target }: Pick<ProbeContext, 'contract' | 'target'>,
  text: string,
  overrides: RequestOverrides = {},
): Probe {
  const { operation, path } = parseProbeText(contract, text);
  const [shownPath, sentPath, shellPath] = (['label', 'value', 'shell'] as const).map((form) =>
    fillPlaceholders(path, target, form),
  ) as [string, string, string];
  // A command cannot repeat a request with other headers, because it sends the usual ones.
  const isRepeatable = !overrides.accept && !overrides.anonymous;
  const repeat = isRepeatable ? `${buildCurlCommand(target)} ${addressInShell(shellPath)}` : '';
  const request = {
    ...describeRequest(operation, shownPath, repeat),
    exchange: `GET ${shownPath}${formatOverrides(overrides)}`,
    configured: shownPath.includes('{USER_IDS[0]}'),
  };
  return { operation, path: sentPath, request, overrides };
}

/**
 * Creates a probe for a path of an operation that fuzzing has generated. Reports show the path, with long values shortened, because
 * it holds no data of a target.
 * @param path percent-encoded path with its query
 */
export const createPathProbe = (target: Target, operation: Operation, path: string): Probe => ({
  ...{ operation, path, overrides: {} },
  request: {
    ...describeRequest(operation, path, `${buildCurlCommand(target)} ${addressInShell(path)}`),
    exchange: `GET ${shorten(path)}`,
  },
});

/**
 * Describes a request for reports.
 * @param operation operation to which the path belongs; undefined if it belongs to none
 * @param path path with its query, with labels such as `{USER_IDS[0]}` in place of identifiers
 * @param repeat shell command that repeats the request; empty if none can
 */
const describeRequest = (operation: Operation | undefined, path: string, repeat: string): Request => ({
  operation: operation?.id ?? '',
  parameters: readParameters(operation, path),
  configured: false,
  exchange: `GET ${path}`,
  repeat,
});

/**
 * Formats the request line of a text such as `listCustomers?offset=1`, as `exchange` of observations has it: "GET
 * /…/customers?offset=1".
 */
export const formatRequestLine = (contract: Contract, text: string): string =>
  `GET ${parseProbeText(contract, text).path}`;

/**
 * Parses a text such as `listCustomers?limit=1` or `getCard/not-a-uuid` into an operation and a path with query. The text after the
 * slash becomes the value of the path parameter. If the operation has no path parameter, as in `listCustomers/`, slash and text are
 * appended to its path, and `operation` is undefined: the path belongs to no operation.
 */
function parseProbeText({ operations }: Contract, text: string): Pick<Probe, 'path' | 'operation'> {
  // The second group begins with a slash, and the third one with a question mark.
  const [, id, lastStep = '', query = ''] = /^(\w+)(\/[^?]*)?(\?.+)?$/.exec(text) ?? [];
  const operation = operations.find((candidate) => candidate.id === id);
  const { path = '' } = operation ?? {};
  if (path.includes('{')) return { operation, path: path.replace(/\/\{\w+\}/, lastStep) + query };
  return { operation: lastStep ? undefined : operation, path: path + lastStep + query };
}

/** Well-formed UUID that identifies no user. */
const unknownUser = '00000000-0000-4000-8000-000000000000';

/**
 * Value of 7000 characters for `{long}` in a probe. Fills buffers of usual size, while the whole request line stays below the 8000
 * bytes that every server should accept (RFC 9112, section 3).
 */
const longText: Argument = {
  value: 'a'.repeat(7000),
  label: 'aaaaaaaa…',
  shell: "$(printf %7000s | tr ' ' a)",
};

/**
 * Replaces `{user}` in the path of a probe by the first of `USER_IDS`, or by an unknown user if none is set, and `{long}` by 7000
 * characters.
 * @param form `value` for the path to send, `label` for reports, `shell` for a shell command
 */
function fillPlaceholders(path: string, target: Target, form: 'value' | 'label' | 'shell'): string {
  const [user = createPublicArgument(unknownUser)] = listConfiguredArguments(target, 'USER_IDS');
  // `shell` is percent-encoded already, and `label` is not to be encoded.
  const encode = form === 'value' ? encodeURIComponent : String;
  // Functions, because `$` has a meaning in a text that `replace` inserts.
  return path.replace('{user}', () => encode(user[form])).replace('{long}', () => encode(longText[form]));
}

/** Shortens each value and step in a path with query that has more than 40 characters to its first eight and `…`. */
const shorten = (path: string) => path.replace(/([=/][^&=/?]{8})[^&=/?]{33,}/g, '$1…');

/** Formats how a probe differs from an ordinary request: " with Accept: text/html without credentials"; empty if it does not. */
const formatOverrides = ({ accept, anonymous }: RequestOverrides) =>
  (accept ? ` with Accept: ${accept}` : '') + (anonymous ? ' without credentials' : '');

/**
 * Reads the parameters in the path of an operation and in its query, keyed by name. Of a repeated parameter, the last value counts.
 * `{}` for a path that belongs to no operation.
 */
function readParameters(operation: Operation | undefined, path: string): Record<string, string> {
  if (!operation) return {};
  const [route = '', query] = path.split('?');
  // `/cards/{id}` becomes `/cards/(?<id>[^/]+)`: each path parameter is a named group.
  const routePattern = new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const identifiers = Object.entries(routePattern.exec(route)?.groups ?? {});
  return Object.fromEntries([
    ...identifiers.map(([name, step]) => [name, decodeURIComponent(step)]),
    ...new URLSearchParams(query),
  ]);
}

/**
 * Sends a probe and observes the response. Judges no requirement by it, because the contract leaves the response open.
 * @param breaker circuit breaker of all probes, which sends no more of them after several without a response
 */
export async function sendProbe(
  { contract, client, secrets, readContent, keepsExchanges }: ProbeContext,
  { operation, path, request, overrides }: Probe,
  breaker: CircuitBreaker,
): Promise<Observation> {
  const answer = await client.get(path, breaker, overrides);
  const exchange = {
    // A path of no operation is read as if it were of the first operation, because all operations share one envelope.
    operation: operation ?? (contract.operations[0] as Operation),
    parameters: readParameters(operation, path),
  };
  const sentRequest = {
    ...request,
    ...pickEffort(answer),
    ...(overrides.again ? { again: true as const } : {}),
  };
  if ('blocked' in answer)
    return { ...createBlockedObservation(exchange, sentRequest, answer), expectsSuccess: false };
  const judging = { entries: [], secrets, readContent };
  const { observation, judged } = observe({ ...exchange, answer }, sentRequest, judging);
  const isKept = keepsExchanges && judged.kind === 'rejection';
  const mockExchange = isKept && createMockExchange(path, answer, judged.body, overrides);
  return { ...dropJudgement(observation), ...(mockExchange && { mockExchange }) };
}
