import { makeBadge } from 'badge-maker';
import type { Conformance } from './conformance.ts';

const colors = { pass: '#2a7a3b', fail: '#b3261e', error: '#7a5a00' };

/** `badge.svg`: verdict and coverage. */
export const badgeOf = ({ verdict, coverage }: Conformance) =>
  makeBadge({
    label: 'conformance',
    message: `${verdict}, ${coverage.nodes.percentage} % seen`,
    color: colors[verdict],
  });
