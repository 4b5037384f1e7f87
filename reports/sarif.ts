import type { Log, ReportingDescriptor, Result } from 'sarif';
import type { Contract } from '../schemas/contract/contract.ts';
import { readFile } from '../schemas/contract/files.ts';
import { type Requirement, requirementsOf } from '../schemas/contract/requirements.ts';
import { summarizeFailure } from '../src/verdict/entry.ts';
import { type Conformance, type ReportedRequirement, withVerdict } from './conformance.ts';

/** `conformance.sarif`: one result for each violated requirement, at its rule or its operation in `spec/`. No values. */
export function sarifOf(contract: Contract, conformance: Conformance): Log {
  const { target, profile, verdict, suite, edition, contract: hash, trace } = conformance;
  const violated = withVerdict(conformance, 'violation');
  const requirements = new Map(requirementsOf(contract).map((one) => [one.address, one]));
  // Only for results: of all that a green run takes beside Playwright, reading the lines would be a sixth.
  const lineOf = violated.length > 0 ? readFile('openapi.yaml', contract.text).lineOf : () => 1;
  const resultOf = (requirement: ReportedRequirement, ruleIndex: number): Result => {
    const { address } = requirement;
    const { first, extent = '' } = summarizeFailure(requirement, conformance.findings) ?? {};
    return {
      ...{ ruleId: address, ruleIndex, level: levelOf(requirement) },
      message: { text: `Violated ${extent}.` },
      locations: [locationOf(contract, lineOf, requirements.get(address))],
      ...(first?.id ? { properties: { requestId: first.id } } : {}),
      partialFingerprints: { 'requirementOfTarget/v1': `${address} ${target}` },
    };
  };
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0-rtm.5.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'lookup-api-conformance', version: suite, rules: violated.map(ruleOf) } },
        automationDetails: { id: `conformance/${target}/` },
        // What nothing sure can be said of must not be taken for fixed.
        invocations: [{ executionSuccessful: verdict !== 'error' }],
        results: violated.map(resultOf),
        properties: { target, profile, edition, contract: hash, ...(trace ? { trace } : {}) },
      },
    ],
  };
}

const levelOf = ({ level }: ReportedRequirement) => (level === 'MUST' ? 'error' : 'warning');

function ruleOf(requirement: ReportedRequirement): ReportingDescriptor {
  const { address, statement, source, level, operation } = requirement;
  return {
    id: address,
    shortDescription: { text: statement },
    help: { text: `${level}, contract section ${source}: ${statement}` },
    defaultConfiguration: { level: levelOf(requirement) },
    properties: { tags: [operation, level] },
  };
}

/** Where a rule or the operation of a requirement is written; the first line of the document where it is none of this contract. */
function locationOf(
  { operations }: Contract,
  lineOf: (steps: string[]) => number,
  requirement: Requirement | undefined,
) {
  const operation = operations.find(({ id }) => id === requirement?.operation);
  const [uri, startLine] =
    requirement?.kind === 'rule'
      ? ['spec/requirements.yaml', requirement.rule.line]
      : ['spec/openapi.yaml', lineOf(operation ? ['paths', operation.path] : [])];
  return { physicalLocation: { artifactLocation: { uri, uriBaseId: '%SRCROOT%' }, region: { startLine } } };
}
