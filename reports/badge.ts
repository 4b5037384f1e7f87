import { makeBadge } from 'badge-maker';
import { type Conformance, mockMark } from './conformance.ts';

const colors = { pass: '#2a7a3b', fail: '#b3261e', error: '#7a5a00' };

/** `badge.svg`: verdict and coverage. */
export const badgeOf = (conformance: Conformance) =>
  makeBadge({
    label: 'conformance',
    message: `${conformance.verdict}${mockMark(conformance)}, ${conformance.coverage.nodes.percentage} % seen`,
    color: colors[conformance.verdict],
  });
