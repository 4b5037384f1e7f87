import type { Contract } from '../../schemas/contract/contract.ts';
import { expectation } from '../../schemas/contract/nodes.ts';
import { validatorOf } from '../../schemas/contract/validators.ts';
import { unsetSentence } from '../../tests/configuration/identifier-variables.ts';
import type { Configuration, Target } from '../../tests/configuration/target.ts';
import { readRecorded } from '../../tests/probes/drift.ts';
import type { Mask } from '../../tests/redaction/secrets.ts';
import { previousProblems } from '../../tests/run/previous.ts';
import { requirementsFor } from '../../tests/run/results.ts';
import { type Check, note, ok, wrong } from './check.ts';

/** What a run reads beside its variables, and would reject. */
export function withFileProblems({ target, problems }: Configuration): Configuration {
  const recorded = problems.length > 0 || target.traffic ? [] : recordedProblems(target);
  return { target, problems: [...problems, ...previousProblems(target), ...recorded] };
}

function recordedProblems({ recordFile }: Target): string[] {
  try {
    readRecorded(recordFile);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

/** What is configured, without any value that is a secret, and each mistake in it. */
export function configurationChecks({ target, problems }: Configuration, mask: Mask): Check[] {
  return [
    ...problems.map((problem) => wrong('configuration', mask(problem))),
    ...target.notices.map((notice) => note('configuration', mask(notice))),
    ...(problems.length === 0 ? [ok('configuration', summaryOf(target, mask))] : []),
    ...(problems.length === 0 && !target.traffic ? identifierChecks(target) : []),
  ];
}

/** What the contract demands, or the first mistake in it. */
export const contractCheck = (contract: Contract | Error, target: Target): Check =>
  contract instanceof Error
    ? wrong('contract', contract.message)
    : ok(
        'contract',
        `${contract.title}, ${contract.operations.length} operations, ${requirementsFor(contract, target).length} requirements`,
      );

function summaryOf({ name, isMock, profile, maxRps }: Target, mask: Mask): string {
  const rate = Number.isFinite(maxRps) ? `at most ${maxRps} requests a second` : 'no limit of requests';
  const target = isMock ? 'the embedded mock, since BASE_URL names no target' : `target ${mask(name)}`;
  return `${target}; profile ${profile}, ${rate}`;
}

function identifierChecks(target: Target): Check[] {
  const unset = unsetSentence(target);
  const set = Object.entries(target.identifiers).filter(([, values]) => values.length > 0);
  const counts = set.map(([variable, values]) => `${values.length} of ${variable}`);
  return [
    ...(counts.length > 0 ? [ok('identifiers', counts.join(', '))] : []),
    ...(unset ? [note('identifiers', unset)] : []),
  ];
}

/** Configured identifiers of a form that the contract does not document, by their places. */
export function identifierFormChecks({ identifiers }: Target, { operations }: Contract): Check[] {
  return operations
    .flatMap(({ id, parameters }) => parameters.map((parameter) => ({ id, parameter })))
    .flatMap(({ id, parameter: { name, schema, 'x-identifiers': variable = '' } }) => {
      const fits = validatorOf(schema, `${id}/${name}`);
      const places = [...(identifiers[variable] ?? []).entries()].filter(([, value]) => !fits(value));
      return places.map(([index]) =>
        note('identifiers', `${variable}[${index}] is not ${expectation(schema)}`),
      );
    });
}

/** How requests reach the target. */
export function routeChecks({ transport, baseUrl }: Target, mask: Mask): Check[] {
  const { proxy, allowInvalidCertificates } = transport;
  const secure = baseUrl?.startsWith('https:') ?? false;
  const way = proxy ? `through the proxy ${mask(new URL(proxy).host)}` : 'without a proxy';
  const route = ok('route', `${secure ? 'TLS' : 'plain HTTP'}, ${way}`);
  return secure && allowInvalidCertificates
    ? [route, note('route', 'ALLOW_INVALID_CERTIFICATES accepts any certificate: the target may be another')]
    : [route];
}

/** By what requests authenticate; empty where nothing is configured. */
export function credentialsOf({ headers, authModule, transport, baseUrl }: Target): string {
  const count = Object.keys(headers).length;
  return [
    count > 0 ? `API_HEADERS (${count})` : '',
    authModule ? 'AUTH_MODULE' : '',
    transport.clientCertificate ? 'CLIENT_CERT' : '',
    baseUrl && new URL(baseUrl).username ? 'the user in BASE_URL' : '',
  ]
    .filter(Boolean)
    .join(', ');
}
