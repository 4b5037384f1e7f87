import type { AskAgain } from '../relations/doubt.ts';
import type { Recorder, Source } from './recorder.ts';

/** Sends a request again with the recorder of its operation. */
export const askAgainWith =
  (recorders: ReadonlyMap<string, Recorder>): AskAgain<Source> =>
  (source) => {
    const { operation } = source.observation;
    const recorder = recorders.get(operation);
    if (!recorder) throw new Error(`there is no recorder of ${operation}`);
    return recorder.askSourceAgain(source);
  };
