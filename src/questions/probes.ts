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
  configured,
  createMockExchange,
  literal,
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
  /** Function that reads `content` of a response. It must be that of the ordinary requests, because hashes are compared. */
  readContent: ReadContent;
}

/** Request to which the contract leaves the response open, such as `GET /customers?limit=-1`. */
export interface Probe {
  /** Operation to which the path belongs; undefined for a path of none, such as one with a slash at its end. */
  operation: Operation | undefined;
  /** Path and query as sent. */
  path: string;
  /** Request for reports, with labels instead of identifiers. */
  request: Request;
  /** Differences from a usual request, such as another `Accept` header. */
  overrides: RequestOverrides;
}

/** Probe, with the open question that its response answers. */
export interface QuestionProbe extends Probe {
  question: Question;
}

/** Lists the probes of all questions. Leaves out those without credentials if no credentials are configured. */
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

/** Checks that credentials are configured: headers, a signing module, a token, or a user in `BASE_URL`. */
export function hasCredentials({ headers, authModule, token, baseUrl }: Target): boolean {
  const hasUser = baseUrl !== undefined && new URL(baseUrl).username !== '';
  return Object.keys(headers).length > 0 || authModule !== undefined || token !== undefined || hasUser;
}

/** Creates a probe from a text such as `listCustomers?limit=-1` or `getCard/unknown` (`requests` of a question). */
export function createProbe(
  { contract, target }: Pick<ProbeContext, 'contract' | 'target'>,
  text: string,
  overrides: RequestOverrides = {},
): Probe {
  const { operation, path } = locate(contract, text);
  const [label, value, shell] = (['label', 'value', 'shell'] as const).map((form) =>
    fillPlaceholder(path, target, form),
  ) as [string, string, string];
  // The command to repeat a request would send the usual headers.
  const isUsual = !overrides.accept && !overrides.anonymous;
  const request = {
    ...describeRequest(
      operation,
      label,
      isUsual ? `${buildCurlCommand(target)} ${addressInShell(shell)}` : '',
    ),
    exchange: `GET ${label}${noteOverrides(overrides)}`,
    configured: label.includes('{USER_IDS[0]}'),
  };
  return { operation, path: value, request, overrides };
}

/** Creates a probe for a path that fuzzing has generated. The path is encoded, and is shown, because it holds no data of a target. */
export const createPathProbe = (target: Target, operation: Operation, path: string): Probe => ({
  ...{ operation, path, overrides: {} },
  request: {
    ...describeRequest(operation, path, `${buildCurlCommand(target)} ${addressInShell(path)}`),
    exchange: `GET ${shorten(path)}`,
  },
});

/** Describes a request to a path for reports. @param path path with its query, with labels instead of identifiers */
const describeRequest = (operation: Operation | undefined, path: string, repeat: string): Request => ({
  operation: operation?.id ?? '',
  parameters: readParameters(operation, path),
  configured: false,
  exchange: `GET ${path}`,
  repeat,
});

/** Formats the request line for a text such as `listCustomers?offset=1`, as in `exchange` of observations: "GET /…?offset=1". */
export const formatRequestLine = (contract: Contract, text: string): string =>
  `GET ${locate(contract, text).path}`;

/**
 * Finds operation and path for a text such as `listCustomers?limit=1` or `getCard/unknown`. An identifier fills the path parameter.
 * Without a path parameter it makes the path longer, and the path then belongs to no operation.
 */
function locate({ operations }: Contract, text: string): Pick<Probe, 'path' | 'operation'> {
  const [, id, identifier = '', query = ''] = /^(\w+)(\/[^?]*)?(\?.+)?$/.exec(text) ?? [];
  const operation = operations.find((candidate) => candidate.id === id);
  const { path = '' } = operation ?? {};
  if (path.includes('{')) return { operation, path: path.replace(/\/\{\w+\}/, identifier) + query };
  return { operation: identifier ? undefined : operation, path: path + identifier + query };
}

const unknownUser = '00000000-0000-4000-8000-000000000000';

/** Long enough to fill buffers of usual size, short enough for the whole request to be accepted by every server. */
const longText: Argument = {
  value: 'a'.repeat(7000),
  label: 'aaaaaaaa…',
  shell: "$(printf %7000s | tr ' ' a)",
};

/**
 * Replaces `{user}` in a path by the first of `USER_IDS`, or by an unknown one, and `{long}` by 7000 characters.
 * @param form `value` to send, `label` to show, `shell` for a command
 */
function fillPlaceholder(path: string, target: Target, form: 'value' | 'label' | 'shell'): string {
  const [user = literal(unknownUser)] = configured(target, 'USER_IDS');
  const encode = form === 'value' ? encodeURIComponent : String;
  return path.replace('{user}', () => encode(user[form])).replace('{long}', () => encode(longText[form]));
}

/** Shortens each value or path step of more than 40 characters to its first eight and `…`. */
const shorten = (path: string) => path.replace(/([=/][^&=/?]{8})[^&=/?]{33,}/g, '$1…');

/** Formats how a request differs from a usual one: " with Accept: text/html without credentials"; empty if it does not. */
const noteOverrides = ({ accept, anonymous }: RequestOverrides) =>
  (accept ? ` with Accept: ${accept}` : '') + (anonymous ? ' without credentials' : '');

/** Reads the parameters in a path and its query; the last value of a repeated one. Empty for a path of no operation. */
function readParameters(operation: Operation | undefined, path: string): Record<string, string> {
  if (!operation) return {};
  const [route = '', query] = path.split('?');
  const steps = new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const identifiers = Object.entries(steps.exec(route)?.groups ?? {});
  return Object.fromEntries([
    ...identifiers.map(([name, step]) => [name, decodeURIComponent(step)]),
    ...new URLSearchParams(query),
  ]);
}

/** Sends a probe and observes the response, without judging any requirement by it. @param breaker stops after unanswered requests */
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
