import type { Requirement } from '../../schemas/contract/requirements.ts';
import { number } from '../../schemas/counted.ts';
import type { Observation } from '../redaction/observation.ts';
import { anyValue, requestCount } from './request-counts.ts';

/** How many rejected identifiers are named, by where they are configured. */
const maxNamed = 5;

const advice =
  'whoever configures an identifier says that the target has its record: if one is malformed or unknown there, correct the configuration, since the contract does not say how that is answered';

/**
 * What a reader has to know of a parameter that breaks its requirement by nothing but identifiers that were configured: how
 * many were rejected, and where they stand. Undefined where anything else breaks it.
 */
export function rejectedIdentifiers(
  requirement: Requirement,
  observations: Observation[],
): { reason: string; cause: 'configured identifiers' } | undefined {
  if (requirement.kind !== 'parameter' || !requirement.parameter['x-identifiers']) return undefined;
  const { address, parameter } = requirement;
  const rejected = observations.filter(({ findings }) =>
    findings.some((one) => one.requirement === address && one.kind === 'violation'),
  );
  if (rejected.length === 0 || !rejected.every(({ configured }) => configured)) return undefined;
  const isAsked = ({ configured, status, again }: Observation) =>
    configured && status !== undefined && !again;
  const asked = countOf(observations.filter(isAsked));
  const places = rejected
    .map(({ parameters }) => parameters[parameter.name])
    .filter((one) => one !== undefined && one !== anyValue);
  const count = countOf(rejected);
  const named = [...new Set(places)].slice(0, maxNamed);
  const more = count > named.length ? ` and ${number(count - named.length)} more` : '';
  const reason = `${number(count)} of ${number(asked)} configured identifiers were rejected: ${named.join(', ')}${more}; ${advice}`;
  return { reason, cause: 'configured identifiers' };
}

const countOf = (observations: Observation[]) =>
  observations.reduce((sum, one) => sum + requestCount(one), 0);
