import { readTraffic, type TrafficOptions } from '../src/traffic/read-traffic.ts';
import type { Recorded } from '../src/traffic/recorded.ts';
import { brokenSentence } from '../src/traffic/sources.ts';

/** What is said of a source in which nothing is wrong, and nothing recorded. */
export const holdsNothing = 'it holds no recorded traffic';

/**
 * Hands out all that some sources hold. Returns the sources of which no entry was read, each with the reason.
 * @param files as `numberedSources` names them
 */
export async function readRecordings(
  files: string[],
  options: TrafficOptions,
  take: (recorded: Recorded) => void,
): Promise<Map<string, string>> {
  const unread = new Map(files.map((file) => [file, holdsNothing]));
  for await (const recorded of readTraffic(files, options)) {
    take(recorded);
    if (recorded.kind !== 'broken') unread.delete(recorded.at.source);
    else if (unread.get(recorded.source) === holdsNothing)
      unread.set(recorded.source, brokenSentence(recorded));
  }
  return unread;
}
