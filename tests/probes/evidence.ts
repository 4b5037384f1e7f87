import type { Disclosure } from '../client/disclosure.ts';
import type { Heard } from './heard.ts';
import { keyOf, type Probe, pathTo } from './requests.ts';

/** All that was heard in a run, as what answers are inferred from. */
export interface Evidence {
  heard: Heard[];
  /** Answer to the probe of a name, unless it was not sent. */
  probe(id: string): Heard | undefined;
  /** Answer to an operation with a query, whoever asked. */
  asked(operation: string, query?: string): Heard | undefined;
  /** Whether credentials are configured. */
  credentials: boolean;
  /** Why a probe may be missing. */
  gap: string;
  disclosure: Disclosure;
}

/** What evidence is beside what was heard. */
export type Circumstances = Pick<Evidence, 'credentials' | 'gap' | 'disclosure'>;

export function evidenceOf(
  heard: Map<string, Heard>,
  probes: Probe[],
  circumstances: Circumstances,
): Evidence {
  const keys = new Map(probes.map(({ id, path, unusual }) => [id, keyOf(path, unusual)]));
  return {
    heard: [...heard.values()],
    probe: (id) => heard.get(keys.get(id) ?? ''),
    asked: (operation, query) => heard.get(keyOf(pathTo(operation, query))),
    ...circumstances,
  };
}

/** What is known of one open question. */
export interface Answered {
  answer: string;
  confidence: 'certain' | 'likely' | 'unknown';
  evidence: string[];
}

export type Inference = (evidence: Evidence) => Answered;

/** An answer with the exchanges it rests on. */
export const certain = (answer: string, ...heard: Heard[]): Answered => ({
  answer,
  confidence: 'certain',
  evidence: heard.map(seen),
});

export const likely = (answer: string, ...heard: Heard[]): Answered => ({
  ...certain(answer, ...heard),
  confidence: 'likely',
});

export const unknown = (reason: string, ...heard: Heard[]): Answered => ({
  answer: 'unknown',
  confidence: 'unknown',
  evidence: [reason, ...heard.map(seen)],
});

/** One exchange in a line: what was asked, and what there is to count in the answer. */
function seen({ exchange, blocked, digest }: Heard): string {
  if (blocked) return `${exchange}: ${blocked.shown}`;
  if (!digest) return `${exchange}: an answer that could not be read`;
  const counts = Object.entries(digest.counts).map(([name, count]) => `, ${count} ${name.replace('_', ' ')}`);
  return `${exchange}: HTTP ${digest.status}${counts.join('')}`;
}
