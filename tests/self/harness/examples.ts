import { lastStep } from '../../../schemas/contract/check-validation.ts';
import { type Listed, loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import { type Entry, entriesFor } from '../../../schemas/contract/ledger.ts';
import type { HttpResponse } from '../../../schemas/judge/judgement.ts';
import { placesAt } from '../../../schemas/judge/places-at.ts';
import { rejectionRuleOf } from '../../../schemas/judge/rules.ts';
import type { Blocked, HttpClient } from '../../client/http-client.ts';
import { identifierVariables } from '../../configuration/identifier-variables.ts';
import { readConfiguration, type Target } from '../../configuration/target.ts';
import { askEverything } from '../../exchanges/ask-everything.ts';
import { Disclosure } from '../../redaction/disclosure.ts';
import type { Observation } from '../../redaction/observation.ts';
import { type Results, requirementsFor } from '../../run/results.ts';
import { evaluateRequirements, type RequirementResult } from '../../verdict/evaluate.ts';
import { overridden } from './overridden.ts';

/** What a provider without network answers to a request. `usual` is an example of the contract. */
export type Reply = (asked: Asked, usual: HttpResponse) => HttpResponse | Blocked;

export interface Asked {
  operation: string;
  parameters: Record<string, string>;
  path: string;
}

/** An answer in JSON. */
export const json = (status: number, body: unknown): HttpResponse => ({
  status,
  contentType: 'application/json',
  body: Buffer.from(JSON.stringify(body)),
});

/** Which requests are meant. */
export type When = (asked: Asked) => boolean;

/** Requests of an operation. */
export const of = (operation: string, more: When = () => true): When => {
  return (asked) => asked.operation === operation && more(asked);
};
/** Answers some requests in one way, the others as usual. */
export const replying = (answer: HttpResponse, when: When = () => true): Reply => {
  return (asked, usual) => (when(asked) ? answer : usual);
};
/** Rejects some requests with a status. */
export const rejecting = (status: number, when?: When) => replying(json(status, { code: status }), when);

/** The target of these tests: no network, no environment; the identifiers are not the mock's. */
export function exampleTarget(overrides: Partial<Target> = {}): Target {
  const { target } = readConfiguration({}, '/nonexistent');
  const identifiers = {
    ...Object.fromEntries(identifierVariables().map((name) => [name, [`${name}-a`]])),
    CARD_IDS: ['card-a', 'card-b'].map(uuid),
    CUSTOMER_IDS: ['cus-a'],
    USER_IDS: ['usr-a', 'usr-b'],
  };
  return overridden({ ...target, isMock: false, minCoverage: 0, identifiers }, overrides);
}

const uuid = (name: string) => `7c0f3a52-5d0e-4a43-9d5b-${Buffer.from(name).toString('hex')}`;

/** Asks and judges everything, as a run does, of a provider that answers with the contract's own examples. */
export async function observationsOf(
  reply: Reply,
  target = exampleTarget(),
  ledger: Entry[] = loadContract().ledger,
  contract = loadContract(),
): Promise<Observation[]> {
  const entries = entriesFor(ledger, target.name, '2026-01-01');
  return askEverything(contract, target, clientOf(reply), entries);
}

/** Observations with what they say of each requirement. */
export async function resultsOf(reply: Reply, overrides: Partial<Target> = {}): Promise<Results> {
  const target = exampleTarget(overrides);
  const { settle } = new Disclosure(target, loadContract());
  const observations = (await observationsOf(reply, target)).map(settle);
  const run = {
    target: target.name,
    profile: target.profile,
    startedAt: '2026-01-01T00:00:00.000Z',
    requests: observations.length,
    repeated: {},
    contract: loadContract().hash,
  };
  return {
    run,
    observations,
    requirementResults: evaluateRequirements(
      requirementsFor(loadContract(), target),
      observations,
      target.profile,
    ),
  };
}

/** Addresses of the requirements with a verdict. */
export const addressesWith = (
  requirementResults: RequirementResult[],
  verdict: RequirementResult['verdict'],
) => requirementResults.filter((one) => one.verdict === verdict).map(({ address }) => address);

function clientOf(reply: Reply): HttpClient {
  let sent = 0;
  return {
    get: async (path, breaker) => {
      const open = breaker?.open();
      if (open) return open;
      sent += 1;
      const asked = askedBy(path);
      const response = reply(asked, exampleFor(asked));
      breaker?.note(response);
      return response;
    },
    sent: () => sent,
    repeated: () => ({}),
    close: async () => {},
  };
}

function askedBy(path: string): Asked {
  const { pathname, searchParams } = new URL(path, 'http://example.com');
  for (const { id, path: route } of loadContract().operations) {
    const match = new RegExp(`^${route.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(pathname);
    if (match)
      return { operation: id, parameters: { ...match.groups, ...Object.fromEntries(searchParams) }, path };
  }
  throw new Error(`no operation has the path ${pathname}`);
}

/** The first example of an operation, made the requested one; an error where the contract demands one. */
function exampleFor({ operation: id, parameters }: Asked): HttpResponse {
  const operation = loadContract().operations.find((one) => one.id === id) as Operation;
  if (rejectionRuleOf(operation, parameters)) return json(400, { code: 400, message: 'rejected' });
  const body = structuredClone(Object.values(operation.examples)[0]?.value);
  for (const { check } of operation.rules) {
    if ('echoes' in check) setAt(body, check.pointer, parameters[check.echoes]);
    if ('parameter' in check && 'listedBy' in check) showAsListed(body, check, parameters[check.parameter]);
  }
  return json(200, body);
}

/** Shows of a record what the list shows of it. */
function showAsListed(body: unknown, check: Listed, id: string | undefined): void {
  const list = loadContract().operations.find((one) => one.id === check.listedBy);
  const pointer = 'same' in check ? check.same : 'presentAs' in check ? check.presentAs : '';
  const name = lastStep(pointer);
  const listed = placesAt(Object.values(list?.examples ?? {})[0]?.value, check.key);
  const [record] = [...listed].filter(({ value }) => value === id);
  for (const { parent } of record ? placesAt(body, pointer) : []) {
    delete parent[name];
    if (record && Object.hasOwn(record.parent, name)) parent[name] = structuredClone(record.parent[name]);
  }
}

/** Sets the value at a JSON Pointer, where it is there; `*` stands for each element. */
function setAt(body: unknown, pointer: string, value: unknown): void {
  const name = lastStep(pointer);
  for (const { parent } of placesAt(body, pointer))
    if (Object.hasOwn(parent, name) && value !== undefined) parent[name] = value;
}
