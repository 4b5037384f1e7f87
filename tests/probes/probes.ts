import type { Contract } from '../../schemas/contract/contract.ts';
import type { RequestOverrides } from '../client/request-headers.ts';
import type { Target } from '../configuration/target.ts';
import type { OperationQuestions } from './operation-questions.ts';

/** A request whose answer the contract leaves open, named after the question that it is sent for. */
export interface Probe {
  id: string;
  /** As it stands on the wire. */
  path: string;
  overrides?: RequestOverrides;
  /** The path as it may be written, where all of it is this suite's own. */
  shown?: string;
  /** Set where any client may send such a request: a failure of it is none on bad input. */
  ordinary?: true;
}

/** Identifiers that nobody has. */
export const invented = { unknown: '00000000-0000-4000-8000-000000000000', malformed: 'not-a-uuid' };

/** Path of an operation with an identifier and a query. */
export function pathTo({ operations }: Contract, operationId: string, query = '', id = ''): string {
  const operation = operations.find((one) => one.id === operationId);
  const route = (operation?.path ?? '').replace(/\{\w+\}/, encodeURIComponent(id));
  return query ? `${route}?${query}` : route;
}

/** Long enough for buffers of usual size to be filled, short enough for every server's whole request. */
export const longValue = 'a'.repeat(7000);

/** A probe that sends nothing but what this suite has made up, so that all of it may be written. */
export const inventedProbe = (id: string, path: string, overrides?: RequestOverrides): Probe => ({
  id,
  path,
  shown: shortened(path),
  ...(overrides ? { overrides } : {}),
});

/** Probes of one operation by query. */
export const queryProbes = (
  contract: Contract,
  operation: string,
  queries: Record<string, string>,
): Probe[] =>
  Object.entries(queries).map(([id, query]) => inventedProbe(id, pathTo(contract, operation, query)));

/** Every probe of a target, each a request of its own. */
export const probesFor = (contract: Contract, target: Target, questions: OperationQuestions[]): Probe[] =>
  questions.flatMap(({ probes }) => probes?.(target, contract) ?? []);

/** A path whose long value is cut. */
export const shortened = (path: string) => path.replace(/=([^&=]{8})[^&=]{33,}/g, '=$1…');

/** Whether there is anything to leave out of a request without credentials. */
export function hasCredentials({ headers, authModule, baseUrl }: Target): boolean {
  const named = baseUrl !== undefined && new URL(baseUrl).username !== '';
  return Object.keys(headers).length > 0 || authModule !== undefined || named;
}
