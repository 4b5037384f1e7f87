import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { Question } from '../../schemas/contract/questions.ts';
import { pickDefined } from '../../schemas/json.ts';
import type { CircuitBreaker, RequestOverrides } from '../client/http-client.ts';
import { hasUserInUrl, type Target } from '../client/target.ts';
import {
  type Argument,
  createPublicArgument,
  listConfiguredArguments,
  type RequestContext,
  sendRequest,
} from '../operations/request.ts';
import { buildCurlCommand, quoteAddressForShell } from '../redact/curl.ts';
import { type DescribedRequest, dropJudgement, type Observation } from '../redact/observation.ts';
import type { ReadContent } from '../redact/redact.ts';

export interface ProbeContext extends RequestContext {
  readContent: ReadContent;
}

/** Request that tests what the contract leaves open, such as `GET /customers?limit=-1`. */
export interface Probe {
  /** Undefined if no operation has the path, as for `/customers/`. */
  operation: Operation | undefined;
  path: string;
  request: DescribedRequest;
  overrides: RequestOverrides;
  /** `{ again: true }` for a probe that repeats an earlier request of the run. Undefined for any other probe. */
  mark?: Pick<DescribedRequest, 'again'>;
}

/**
 * Lists the probes in `spec/questions.yaml`, such as `listCustomers?limit=0`. The probes of `anonymous` questions are sent without
 * credentials. If `target` has no credentials anyway, these probes are left out.
 */
export function listProbes(contract: Contract, target: Target): (Probe & { question: Question })[] {
  const probes: (Probe & { question: Question })[] = [];
  for (const question of contract.questions) {
    const { anonymous, requests = [] } = question;
    // Without credentials, every ordinary request is anonymous already.
    if (anonymous && !hasCredentials(target)) continue;
    const overrides = pickDefined(question, ['accept', 'anonymous']);
    for (const probeText of requests)
      probes.push({ question, ...createProbe({ contract, target }, probeText, overrides) });
  }
  return probes;
}

export const hasCredentials = ({ headers, authModule, token, baseUrl }: Target): boolean =>
  Object.keys(headers).length > 0 || authModule !== undefined || token !== undefined || hasUserInUrl(baseUrl);

/** Creates a probe from its text in `spec/questions.yaml`, such as `listCustomers?limit=0`. */
export const createProbe = (
  { contract, target }: Pick<ProbeContext, 'contract' | 'target'>,
  probeText: string,
  overrides?: RequestOverrides,
): Probe => createPathProbe(target, parseProbeText(contract, probeText), overrides);

/** Creates a probe for a path. Reports show the path, so it must be public. */
export function createPathProbe(
  target: Target,
  { operation, path }: Pick<Probe, 'operation' | 'path'>,
  overrides: RequestOverrides = {},
): Probe {
  const sentPath = fillPlaceholders(path, target, 'value');
  const shownPath = fillPlaceholders(path, target, 'label');
  const shellPath = fillPlaceholders(path, target, 'shell');
  // A command cannot repeat a request with other headers, because it sends the usual ones.
  const isRepeatable = !overrides.accept && !overrides.anonymous;
  const request = {
    operation: operation?.id ?? '',
    parameters: readParameters(operation, shownPath),
    configured: shownPath.includes('{USER_IDS[0]}'),
    requestText: `GET ${shortenLongParts(shownPath)}${formatOverrides(overrides)}`,
    curlCommand: isRepeatable ? `${buildCurlCommand(target)} ${quoteAddressForShell(shellPath)}` : '',
  };
  return { operation, path: sentPath, request, overrides };
}

/**
 * Parses the text of a probe. `getCard/not-a-uuid` becomes the operation `getCard` and the path `/…/cards/not-a-uuid`. For
 * `listCustomers/`, the operation is undefined, because no operation has the path `/…/customers/`.
 */
function parseProbeText({ operations }: Contract, text: string): Pick<Probe, 'path' | 'operation'> {
  const match = /^(?<operationId>\w+)(?<pathSuffix>\/[^?]*)?(?<query>\?.+)?$/.exec(text);
  const { operationId, pathSuffix = '', query = '' } = match?.groups ?? {};
  const operation = operations.find(({ id }) => id === operationId);
  const { path = '' } = operation ?? {};
  const hasPathParameter = path.includes('{');
  if (hasPathParameter) return { operation, path: path.replace(/\/\{\w+\}/, pathSuffix) + query };
  if (pathSuffix) return { operation: undefined, path: path + pathSuffix + query };
  return { operation, path: path + query };
}

const unknownUser = '00000000-0000-4000-8000-000000000000';

/** Text of 7000 letters for `{long}` in the path of a probe. */
const longText: Argument = {
  // A server should accept a request line of up to 8000 bytes (RFC 9112 section 3).
  value: 'a'.repeat(7000),
  label: 'aaaaaaaa…',
  shell: "$(printf %7000s | tr ' ' a)",
};

function fillPlaceholders(path: string, target: Target, form: 'value' | 'label' | 'shell'): string {
  const [user = createPublicArgument(unknownUser)] = listConfiguredArguments(target, 'USER_IDS');
  // `shell` is percent-encoded already, and `label` is not sent.
  const needsEncoding = form === 'value';
  const userText = needsEncoding ? encodeURIComponent(user[form]) : user[form];
  // A function as second argument, because `replace` would interpret `$` in a string.
  return path.replace('{user}', () => userText).replace('{long}', () => longText[form]);
}

const shortenLongParts = (path: string) => path.replace(/([=/][^&=/?]{8})[^&=/?]{33,}/g, '$1…');

const formatOverrides = ({ accept, anonymous }: RequestOverrides) =>
  (accept ? ` with Accept: ${accept}` : '') + (anonymous ? ' without credentials' : '');

/** Reads path and query parameters: `/…/cards/a%20b?x=1` becomes `{ id: 'a b', x: '1' }`. Returns `{}` if `operation` is undefined. */
function readParameters(operation: Operation | undefined, path: string): Record<string, string> {
  if (!operation) return {};
  const [route = '', query] = path.split('?');
  // `/cards/{id}` becomes `/cards/(?<id>[^/]+)`: each path parameter is a named group.
  const routePattern = new RegExp(`^${operation.path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
  const encodedIdentifiers = routePattern.exec(route)?.groups ?? {};
  const parameters: Record<string, string> = {};
  for (const [name, encoded] of Object.entries(encodedIdentifiers))
    parameters[name] = decodeURIComponent(encoded);
  for (const [name, value] of new URLSearchParams(query)) parameters[name] = value;
  return parameters;
}

/** Sends a probe, and returns an observation without findings. If `breaker` stops the probe, the observation has `notSent`. */
export async function sendProbe(
  context: ProbeContext,
  { operation, request, mark, path, overrides }: Probe,
  breaker: CircuitBreaker,
): Promise<Observation> {
  // If the path belongs to no operation, the response is read like a response of the first one. All operations have the same envelope.
  const [firstOperation] = context.contract.operations as [Operation];
  const sentRequest = {
    path,
    overrides,
    request: { ...request, ...mark },
    operation: operation ?? firstOperation,
    parameters: readParameters(operation, path),
  };
  const { judged, observation } = await sendRequest({ ...context, breaker }, sentRequest);
  // Without a readable response, nothing was judged.
  if (!judged) return { ...observation, expectsSuccess: false };
  // The contract does not prescribe the response to a probe.
  const { mockExchange, ...unjudgedObservation } = dropJudgement(observation);
  // Reports show a rejection by the mock as an example, and take examples of a success from ordinary requests.
  const isRejectedByMock = mockExchange && judged.kind === 'rejection';
  return isRejectedByMock ? { ...unjudgedObservation, mockExchange } : unjudgedObservation;
}

const maxRepeatedRequests = 2;

export const estimateProbes = (contract: Contract, target: Target): number =>
  (target.probes ? listProbes(contract, target).length + maxRepeatedRequests : 0) + target.fuzzRequests;
