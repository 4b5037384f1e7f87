import { startMock } from '../../mock/server.ts';
import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import { createClient } from '../../tests/client/http-client.ts';
import { SigningError } from '../../tests/client/signing.ts';
import type { Configuration, Target } from '../../tests/configuration/target.ts';
import {
  type Argument,
  type Arguments,
  configured,
  documentedValues,
  pathOf,
  requestOf,
} from '../../tests/exchanges/request.ts';
import { Disclosure } from '../../tests/redaction/disclosure.ts';
import { maskOf } from '../../tests/redaction/secrets.ts';
import { type Check, note, ok, wrong } from './check.ts';
import {
  configurationChecks,
  contractCheck,
  credentialsOf,
  identifierFormChecks,
  routeChecks,
  withFileProblems,
} from './configuration.ts';
import { clockCheck, rateCheck } from './headers.ts';
import { responseChecks } from './response.ts';

/**
 * Looks at configuration and contract and, if both are right, sends one request. Nothing that is returned holds a
 * secret. Never throws.
 */
export async function examine(read: Configuration, contract: Contract | Error): Promise<Check[]> {
  const configuration = withFileProblems(read);
  const { target, problems } = configuration;
  const checks = [...configurationChecks(configuration, maskOf(target)), contractCheck(contract, target)];
  if (problems.length > 0 || contract instanceof Error)
    return [...checks, note('target', 'nothing was sent: correct this first')];
  const disclosure = new Disclosure(target, contract);
  const forms = identifierFormChecks(target, contract);
  const asked = await targetChecks(target, contract, disclosure);
  return [...checks, ...forms, ...asked, ...secretChecks(disclosure)];
}

/** What reports lack because of a weak secret. */
const secretChecks = ({ hidesContractWords }: Disclosure): Check[] =>
  hidesContractWords() ? [note('secrets', sharedWord)] : [];

const sharedWord =
  'a secret or identifier has letters in common with a word of the contract: other names with these letters are shown as (name withheld)';

async function targetChecks(target: Target, contract: Contract, disclosure: Disclosure): Promise<Check[]> {
  if (target.traffic) return [ok('target', 'nothing is asked: TRAFFIC names recorded traffic to judge')];
  const request = simplestRequest(target, contract);
  if (!request) return [wrong('target', 'not asked: no request can be made without identifiers; set them')];
  const mock = target.baseUrl ? undefined : await startMock();
  try {
    return await askedChecks(target, target.baseUrl ?? mock?.url ?? '', disclosure, request);
  } catch (error) {
    if (error instanceof SigningError) return [wrong('credentials', disclosure.mask(error.message))];
    throw error;
  } finally {
    await mock?.close();
  }
}

interface Request {
  operation: Operation;
  parameters: Arguments;
}

async function askedChecks(
  target: Target,
  baseUrl: string,
  disclosure: Disclosure,
  { operation, parameters }: Request,
): Promise<Check[]> {
  const client = await createClient(target, baseUrl, disclosure.addSecret);
  const route = routeChecks(target, disclosure.mask);
  try {
    const response = await client.get(pathOf(operation, parameters));
    if ('blocked' in response) return [...route, wrong('target', disclosure.maskReason(response.blocked))];
    const { exchange } = requestOf(operation, parameters);
    const headers = response.headers ?? {};
    return [
      ...route,
      ...responseChecks(operation, exchange, response, credentialsOf(target)),
      clockCheck(headers, Date.now(), target.authModule !== undefined),
      rateCheck(maskedBy(disclosure, headers), target.maxRps),
    ];
  } finally {
    await client.close();
  }
}

/** A target may say a secret where it announces a rate. */
const maskedBy = ({ mask }: Disclosure, headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, mask(value)]));

/** The request with the fewest parameters, and without an identifier if there is one. */
function simplestRequest(target: Target, { operations }: Contract): Request | undefined {
  const weight = ({ parameters }: Request) =>
    Object.values(parameters).reduce((sum, argument) => sum + (argument.configured ? 100 : 1), 0);
  return operations
    .flatMap((operation) => requestFor(target, operation))
    .toSorted((one, other) => weight(one) - weight(other))[0];
}

function requestFor(target: Target, operation: Operation): Request[] {
  const required = operation.parameters.filter((parameter) => parameter.required);
  const values = required.map((parameter): [string, Argument | undefined] => {
    const variable = parameter['x-identifiers'];
    const all = parameter.schema.enum
      ? documentedValues(operation, parameter.name)
      : variable
        ? configured(target, variable)
        : [];
    return [parameter.name, all[0]];
  });
  const known = values.flatMap(([name, value]): [string, Argument][] => (value ? [[name, value]] : []));
  return known.length === values.length ? [{ operation, parameters: Object.fromEntries(known) }] : [];
}
