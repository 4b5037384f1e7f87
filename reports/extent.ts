import type { Finding } from '../tests/redaction/observation.ts';
import { extentText } from '../tests/verdict/extent.ts';
import type { Conformance, ReportedRequirement } from './conformance.ts';

/** How far what a requirement's verdict rests on reaches: "in 16 of 226 places, in 3 of 12 requests". No values. */
export const extentOf = (conformance: Conformance, result: ReportedRequirement): string =>
  extentText(findingsOf(conformance, result.address, result.verdict), result);

/** Findings of one kind of one requirement. */
export const findingsOf = ({ findings }: Conformance, address: string, kind: string): Finding[] =>
  findings.filter((finding) => finding.kind === kind && finding.requirement === address);
