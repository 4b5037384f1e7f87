import type { Target } from '../configuration/target.ts';
import type { Finding, Observation } from '../redaction/observation.ts';
import type { RequirementResult } from './evaluate.ts';
import type { GateResult } from './gates.ts';

/** Findings of the selected requirements, and of the run as a whole where a gate asks for them. */
export function findingsOf(
  target: Target,
  observations: Observation[],
  requirements: RequirementResult[],
  gates: GateResult[],
  found: Finding[],
): Finding[] {
  const isSelected = (gate: string) => gates.some(({ address }) => address === gate);
  return [
    ...requirements.flatMap((one) => one.findings),
    ...(target.undeclaredFields === 'report' ? undeclaredOf(observations) : []),
    ...gates.filter((one) => one.address === 'run/coverage' && one.verdict !== 'pass').map(coverageFinding),
    ...found.filter(({ kind }) => kind !== 'stale' || isSelected('run/ledger')),
  ];
}

const coverageFinding = ({ expected, actual, variable }: GateResult): Finding => ({
  kind: 'coverage',
  requirement: '',
  operation: '',
  pointer: '',
  expected: `${expected} (${variable})`,
  actual,
  exchange: '',
});

const undeclaredOf = (observations: Observation[]) =>
  observations.flatMap(({ findings }) => findings).filter(({ kind }) => kind === 'undeclared');
