import { createHash } from 'node:crypto';
import type { Contract } from '../../schemas/contract/contract.ts';
import type { Entry } from '../../schemas/contract/ledger.ts';
import type { HttpClient } from '../client/http-client.ts';
import type { Target } from '../configuration/target.ts';
import type { Disclosure } from '../redaction/disclosure.ts';
import type { JournalHead } from './journal/journal-head.ts';
import { createPrints, type PrintOf } from './pages/prints.ts';
import { type Patience, patience } from './paging/list-client.ts';
import type { Part } from './paging/paging.ts';
import type { Progress } from './progress/progress.ts';
import type { OrdinaryLists } from './results/ordinary-lists.ts';

/** What every sweep of a run works with. */
export interface SweepContext {
  contract: Contract;
  target: Target;
  /** What is received is not recorded: the questions are answered by the ordinary requests. */
  client: Pick<HttpClient, 'get'>;
  disclosure: Disclosure;
  entries: Entry[];
  curl: string;
  part: Part | undefined;
  /** What the ordinary requests of the run have listed. */
  ordinary?: OrdinaryLists | undefined;
  printOf: PrintOf;
  progress: Progress;
  patience: Patience;
}

/** The secret of the prints: what is configured, or what every part of a sweep knows. */
const secretOf = ({ hash }: Contract, { sweepKey, baseUrl, name }: Target) =>
  sweepKey ?? `${hash} ${name} ${baseUrl ?? ''}`;

/** Makes the prints of the sweeps of a target. */
export const printsFor = (contract: Contract, target: Target): PrintOf =>
  createPrints(secretOf(contract, target));

const digest = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** Tells apart the journals of different sweeps. */
export function headOf({ contract, target, part, disclosure }: SweepContext, source: string): JournalHead {
  return {
    version: 2,
    target: disclosure.mask(target.name),
    address: target.isMock ? 'mock' : digest(`address ${target.baseUrl ?? ''}`),
    key: digest(`key ${secretOf(contract, target)}`),
    contract: contract.hash,
    profile: target.profile,
    source,
    mode: `${target.sweep}${target.sweepSeed === undefined ? '' : `, seed ${target.sweepSeed}`}`,
    part: part ? `${part.current}/${part.total}` : 'all',
  };
}

export { patience };
