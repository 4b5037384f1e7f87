import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import {
  type CircuitBreaker,
  type HttpClient,
  pickEffort,
  type RequestOverrides,
} from '../client/http-client.ts';
import type { Target } from '../client/target.ts';
import { type Argument, configured, literal } from '../operations/request.ts';
import { addressInShell, buildCurlCommand } from '../redact/curl.ts';
import { dropJudgement, type Observation, type Request } from '../redact/observation.ts';
import { createBlockedObservation, type JudgeOptions, observe, type ReadContent } from '../redact/redact.ts';

/** Contract, client and settings that probes are sent and observed with. */
export interface ProbeContext extends Pick<JudgeOptions, 'secrets'> {
  contract: Contract;
  target: Target;
  client: Pick<HttpClient, 'get'>;
  /** Reader of contents that the ordinary observations were read by. */
  readContent: ReadContent;
}

/** A request that no operation file sends: the contract leaves its response open. */
export interface Probe {
  /** Operation of the path; undefined for a path of no operation. */
  operation: Operation | undefined;
  /** Path and query as sent. */
  path: string;
  /** The request as shown. */
  request: Request;
  overrides: RequestOverrides;
}

/** A probe that answers a question. */
export interface QuestionProbe extends Probe {
  question: Question;
}

/** Lists every probe of a target. */
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

/** Checks that credentials are configured, so that a request without them differs from others. */
export function hasCredentials({ headers, authModule, token, baseUrl }: Target): boolean {
  const hasUser = baseUrl !== undefined && new URL(baseUrl).username !== '';
  return Object.keys(headers).length > 0 || authModule !== undefined || token !== undefined || hasUser;
}

/** Creates the probe of a text such as `operation?query` or `operation/identifier`. */
export function createProbe(
  { contract, target }: Pick<ProbeContext, 'contract' | 'target'>,
  text: string,
  overrides: RequestOverrides = {},
): Probe {
  const { operation, path } = locate(contract, text);
  const [label, value, shell] = (['label', 'value', 'shell'] as const).map((form) =>
    fillPlaceholder(path, target, form),
  ) as [string, string, string];
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

/** Creates the probe of a generated path, encoded, in which nothing is of a target. */
export const createPathProbe = (target: Target, operation: Operation, path: string): Probe => ({
  ...{ operation, path, overrides: {} },
  request: {
    ...describeRequest(operation, path, `${buildCurlCommand(target)} ${addressInShell(path)}`),
    exchange: `GET ${shorten(path)}`,
  },
});

const describeRequest = (operation: Operation | undefined, path: string, repeat: string): Request => ({
  operation: operation?.id ?? '',
  parameters: readParameters(operation, path),
  configured: false,
  exchange: `GET ${path}`,
  repeat,
});

/** Returns the request line of `operation?query` or `operation/identifier`, as observations show it. */
export const formatRequestLine = (contract: Contract, text: string): string =>
  `GET ${locate(contract, text).path}`;

/** Finds operation and path of a text such as `operation?query`; a path that is longer than the operation's is of none. */
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

/** Fills in the first user of USER_IDS, else an unknown one, for `{user}`, and a long text for `{long}`. */
function fillPlaceholder(path: string, target: Target, form: 'value' | 'label' | 'shell'): string {
  const [user = literal(unknownUser)] = configured(target, 'USER_IDS');
  const encode = form === 'value' ? encodeURIComponent : String;
  return path.replace('{user}', () => encode(user[form])).replace('{long}', () => encode(longText[form]));
}

/** Shortens values of more than 40 characters. */
const shorten = (path: string) => path.replace(/([=/][^&=/?]{8})[^&=/?]{33,}/g, '$1…');

const noteOverrides = ({ accept, anonymous }: RequestOverrides) =>
  (accept ? ` with Accept: ${accept}` : '') + (anonymous ? ' without credentials' : '');

/** Reads the parameters of a path of an operation: of a repeated one the last value, of no operation none. */
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

/** Sends a probe and observes the response; no requirement is judged by it. */
export async function sendProbe(
  { contract, client, secrets, readContent }: ProbeContext,
  { operation, path, request, overrides }: Probe,
  breaker: CircuitBreaker,
): Promise<Observation> {
  const answer = await client.get(path, breaker, overrides);
  const exchange = {
    // A path of no operation is read by the envelope that all operations share.
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
  return dropJudgement(observe({ ...exchange, answer }, sentRequest, judging).observation);
}
