import type { Requirement } from '../../schemas/contract/requirements.ts';
import { number } from '../../schemas/counted.ts';
import type { Observation } from '../redaction/observation.ts';
import { requestCount } from './request-counts.ts';

/** How many rejected identifiers are named, by where they are configured. */
const maxNamed = 5;

const advice =
  'the target is taken to have the record of each configured identifier: if one is malformed or unknown there, correct the configuration, since the contract does not say how such a request is answered';

/**
 * What a reader has to know of a requirement that is broken by nothing but the rejection of identifiers that were configured,
 * in HTTP's way or in a body: how many were rejected, and where they stand. Undefined where anything else breaks it.
 */
export function rejectedIdentifiers(
  requirement: Requirement,
  observations: Observation[],
): { reason: string; cause: 'configured identifiers' } | undefined {
  const { address } = requirement;
  const isOfIdentifier = requirement.kind === 'parameter' && requirement.parameter['x-identifiers'];
  const broken = observations.filter(({ findings }) =>
    findings.some((one) => one.requirement === address && one.kind === 'violation'),
  );
  const isRejection = ({ configured, rejectedInBody }: Observation) =>
    configured && (isOfIdentifier || rejectedInBody);
  if (broken.length === 0 || !broken.every(isRejection)) return undefined;
  const isAsked = ({ configured, status, again }: Observation) =>
    configured && status !== undefined && !again;
  const asked = countOf(observations.filter(isAsked));
  const places = broken.flatMap(({ parameters }) => Object.values(parameters).filter(isConfigured));
  const count = countOf(broken);
  // What stands in every body may be due to the target as well.
  if (!isOfIdentifier && count === asked) return undefined;
  const named = [...new Set(places)].slice(0, maxNamed);
  const more = count > named.length ? ` and ${number(count - named.length)} more` : '';
  const reason = `${number(count)} of ${number(asked)} configured identifiers were rejected: ${named.join(', ')}${more}; ${advice}`;
  return { reason, cause: 'configured identifiers' };
}

/** Whether what is shown of a value says where it was configured. */
const isConfigured = (label: string) => label.startsWith('{');

const countOf = (observations: Observation[]) =>
  observations.reduce((sum, one) => sum + requestCount(one), 0);
