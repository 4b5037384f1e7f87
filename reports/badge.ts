import { makeBadge } from 'badge-maker';
import { originMark } from '../tests/verdict/sentence.ts';
import type { Conformance } from './conformance.ts';

const colors = { pass: '#2a7a3b', fail: '#b3261e', error: '#7a5a00' };

/** `badge.svg`: verdict and coverage; of a part of the contract, how much was selected. */
export const badgeOf = ({ verdict, coverage, selection, mock, traffic }: Conformance) =>
  makeBadge({
    label: 'conformance',
    message: selection
      ? `${verdict}${originMark({ mock, traffic })} of ${selection.selected} of ${selection.total} requirements`
      : `${verdict}${originMark({ mock, traffic })}, ${coverage.nodes.percentage} % exercised`,
    color: colors[verdict],
  });
