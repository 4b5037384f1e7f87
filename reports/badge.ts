import { makeBadge } from 'badge-maker';
import { mockMark } from '../tests/verdict/sentence.ts';
import type { Conformance } from './conformance.ts';

const colors = { pass: '#2a7a3b', fail: '#b3261e', error: '#7a5a00' };

/** `badge.svg`: verdict and coverage; of a part of the contract, how much was selected. */
export const badgeOf = ({ verdict, coverage, selection, mock }: Conformance) =>
  makeBadge({
    label: 'conformance',
    message: selection
      ? `${verdict}${mockMark({ mock })} of ${selection.selected} of ${selection.total} requirements`
      : `${verdict}${mockMark({ mock })}, ${coverage.nodes.percentage} % exercised`,
    color: colors[verdict],
  });
