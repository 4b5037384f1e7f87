import { makeBadge } from 'badge-maker';
import { originMark, partOfContract } from '../tests/verdict/sentence.ts';
import type { Conformance } from './conformance.ts';

const colors = { pass: '#2a7a3b', fail: '#b3261e', error: '#7a5a00' };

/** `badge.svg`: verdict and coverage; of a part of a run, which part. */
export const badgeOf = ({ verdict, coverage, selection, shard, mock, traffic }: Conformance) =>
  makeBadge({
    label: 'conformance',
    message: `${verdict}${originMark({ mock, traffic })}${
      shard
        ? ` of ${partOfContract({ shard })}`
        : selection
          ? ` of ${selection.selected} of ${selection.total} requirements`
          : `, ${coverage.nodes.percentage} % exercised`
    }`,
    color: colors[verdict],
  });
