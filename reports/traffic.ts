import { counted } from '../schemas/counted.ts';
import { sourceTitle } from '../tests/traffic/source-name.ts';
import type { Traffic } from '../tests/traffic/traffic-summary.ts';
import type { Conformance } from './conformance.ts';
import { second } from './moments.ts';

/** What the verdict rests on: requests that were sent, or a recording. */
export const basisOf = ({ requests, traffic }: Conformance): string =>
  traffic
    ? `${traffic.judged} of ${traffic.exchanges} recorded exchanges judged${spanOf(traffic)}`
    : counted(requests, 'request');

/** The time between the first exchange that was judged and the last one. */
function spanOf({ from, until }: Traffic): string {
  if (from === undefined || until === undefined) return '';
  return from === until ? `, of ${second(from)}` : `, from ${second(from)} to ${second(until)}`;
}

/** Where the traffic comes from, and how many exchanges were not judged, by reason. */
export function trafficLines({ traffic }: Conformance): string[] {
  if (!traffic) return [];
  const skipped = Object.entries(traffic.skipped).sort(([, one], [, other]) => other - one);
  return [
    `read from ${traffic.sources.map(sourceTitle).join(', ')}`,
    'nothing was sent: open questions were not asked',
    ...skipped.map(([reason, count]) => `not judged: ${count}, ${reason}`),
  ];
}
