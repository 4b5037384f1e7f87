import type { AskAgain } from '../relations/doubt.ts';
import type { Longer } from '../relations/pages-again.ts';
import type { Recorder } from './recorder.ts';
import type { Source } from './seen-response.ts';
import type { Exchanges } from './session.ts';

/** Sends a request again with the recorder of its operation. */
export const askAgainWith =
  (recorders: ReadonlyMap<string, Recorder>): AskAgain<Source> =>
  (source) => {
    const { operation } = source.observation;
    const recorder = recorders.get(operation);
    if (!recorder) throw new Error(`there is no recorder of ${operation}`);
    return recorder.askSourceAgain(source);
  };

/** The request for a longer page, as the exchanges file of its operation says. */
export const longerWith =
  (files: ReadonlyMap<string, Pick<Exchanges, 'longerPage'>>): Longer<Source> =>
  ({ arguments: page, observation }) => {
    const longer = files.get(observation.operation)?.longerPage?.(page);
    return longer && { arguments: longer, observation, isLonger: true };
  };
