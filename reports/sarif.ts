import type { Log, ReportingDescriptor, Result } from 'sarif';
import type { Contract } from '../schemas/contract/contract.ts';
import { type Conformance, type ReportedRequirement, withVerdict } from './conformance.ts';
import { createLocator, type SpecPlace } from './contract-lines.ts';
import { extentOf } from './extent.ts';

/** `conformance.sarif`: one result for each violated requirement, at its line in `spec/`. No values. */
export function sarifOf(contract: Contract, conformance: Conformance): Log {
  const { target, profile, verdict } = conformance;
  const violated = withVerdict(conformance, 'violation');
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0-rtm.5.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'lookup-api-conformance', rules: violated.map(ruleOf) } },
        automationDetails: { id: `conformance/${target}/` },
        // What nothing sure can be said of must not be taken for fixed.
        invocations: [{ executionSuccessful: verdict !== 'error' }],
        results: resultsOf(conformance, violated, contract),
        properties: { target, profile, contract: conformance.contract },
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

function resultsOf(conformance: Conformance, violated: ReportedRequirement[], contract: Contract): Result[] {
  if (violated.length === 0) return [];
  const placeOf = createLocator(contract);
  return violated.map((requirement, ruleIndex) => ({
    ruleId: requirement.address,
    ruleIndex,
    level: levelOf(requirement),
    message: { text: `Violated ${extentOf(conformance, requirement)}.` },
    locations: [locationOf(placeOf(requirement.address))],
    partialFingerprints: { 'requirementOfTarget/v1': `${requirement.address} ${conformance.target}` },
  }));
}

const locationOf = ({ file, line }: SpecPlace) => ({
  physicalLocation: {
    artifactLocation: { uri: file, uriBaseId: '%SRCROOT%' },
    region: { startLine: line },
  },
});
