import { conditional } from '../../../mock/faults/conditional.ts';
import { relations } from '../../../mock/faults/relations.ts';
import { relatedFields } from '../../../mock/faults/relations-of-cards-and-rules.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Observation } from '../../redaction/observation.ts';
import { judgeProvider, type ProfileResult, resultsByProfile } from '../harness/provider.ts';
import { observedTraffic } from '../traffic/judging.ts';
import type { RecordedLine } from '../traffic/recorded-lines.ts';
import { allOf, operationOf, type Placed } from './batches.ts';
import { asked, isOf, isSentBy, type RequestSelector, short } from './request-selectors.ts';

/** What goes red in either profile. */
export interface Proof {
  observed: AddressesByVerdict;
  documented: AddressesByVerdict;
}

export type AddressesByVerdict = Pick<ProfileResult, 'violated' | 'deviating' | 'blocked'>;

/** The result of a batch of faults: where each of them is, and all in all. */
export interface BatchProof extends Proof {
  each: (Proof & { recorded: RecordedProof })[];
}

/** What is made of the same exchanges, recorded; how many of them say nothing, by reason. */
export interface RecordedProof extends Proof {
  skipped: Record<string, number>;
}

/** What both profiles make of observations. */
export function proofOf(
  observations: Observation[],
  settings?: Parameters<typeof resultsByProfile>[1],
): Proof {
  const { observed, documented } = resultsByProfile(observations, settings, 'asked');
  const addressesByVerdict = ({ violated, deviating, blocked }: ProfileResult): AddressesByVerdict => ({
    violated,
    deviating,
    blocked,
  });
  return { observed: addressesByVerdict(observed), documented: addressesByVerdict(documented) };
}

/** Pages are followed, and long, only where that is what matters. */
export const thorough = { choices: {}, maxPages: 3 };
export const brief = { choices: short, maxPages: 1 };

const followed = new Set([...conditional, ...relatedFields, ...relations]);

/** Exchanges with a provider that has several faults, and how they were requested. */
interface AskedBatch extends Pick<Awaited<ReturnType<typeof judgeProvider>>, 'observations' | 'lines'> {
  settings: NonNullable<Parameters<typeof judgeProvider>[1]>;
}

/** What is in all answers of an operation shows in those to three of its records. */
function identifiersFor(batch: Placed[]): typeof asked {
  const chosen = new Set(batch.flatMap(({ selector }) => selector?.operation ?? []));
  const variables = loadContract()
    .operations.filter(({ id }) => chosen.has(id))
    .flatMap(({ parameters }) => parameters.map((parameter) => parameter['x-identifiers']));
  const some = Object.entries(asked).map(([name, all]) => [
    name,
    variables.includes(name) ? all : all.slice(0, 3),
  ]);
  return Object.fromEntries(some);
}

async function ask(batch: Placed[], identifiers = identifiersFor(batch)): Promise<AskedBatch> {
  const undeclared = batch.some(({ fault }) => fault.undeclared) ? { undeclaredFields: 'fail' as const } : {};
  const { choices, maxPages } = batch.some(({ fault }) => followed.has(fault)) ? thorough : brief;
  const settings = { identifiers, maxPages, ...undeclared };
  const { observations, lines } = await judgeProvider({ choices, alter: allOf(batch) }, settings);
  return { observations, lines, settings };
}

/** What both profiles make of one provider with several faults, and of a recording of it. */
export async function proveFaults(batch: Placed[]): Promise<BatchProof> {
  const exchanges = await ask(batch);
  const { observations, lines, settings } = exchanges;
  const whole = proofOf(observations, settings);
  const isAlone = batch.some(({ selector }) => !selector);
  const recorded = await proveRecorded(isAlone ? lines : [], settings);
  const each = batch.map(async (placed) => ({
    ...proofAt(placed, exchanges, whole),
    recorded: placed.selector
      ? await proveRecorded(lines.filter(isSentTo(placed.selector)), settings)
      : { ...within(operationOf(placed.fault), recorded), skipped: recorded.skipped },
  }));
  return { ...whole, each: await Promise.all(each) };
}

const isSentTo = (selector: RequestSelector) => (line: RecordedLine) => isSentBy(selector, line);

/** The same of each of the faults, without a recording; with fewer identifiers less is asked. */
export async function proveAsked(batch: Placed[], identifiers: typeof asked): Promise<Proof[]> {
  const exchanges = await ask(batch, identifiers);
  const whole = proofOf(exchanges.observations, exchanges.settings);
  return batch.map((placed) => proofAt(placed, exchanges, whole));
}

/** The part of a proof that is about one fault. */
function proofAt({ fault, selector }: Placed, { observations, settings }: AskedBatch, whole: Proof): Proof {
  if (!selector) return within(operationOf(fault), whole);
  return proofOf(
    observations.filter((one) => isOf(selector, one)),
    settings,
  );
}

/** What both profiles make of a recording. */
export async function proveRecorded(
  lines: RecordedLine[],
  settings: Parameters<typeof resultsByProfile>[1] = {},
): Promise<RecordedProof> {
  const text = lines.map((one) => one.text).join('');
  const { observations, traffic } = await observedTraffic(['-'], { text, name: 'mock' });
  return { ...proofOf(observations, settings), skipped: traffic.skipped };
}

/** The part of a proof that is about one operation. */
function within(operation: string, { observed, documented }: Proof): Proof {
  const own = (addresses: string[]) => addresses.filter((address) => address.startsWith(`${operation}/`));
  const sortedAddresses = ({ violated, deviating, blocked }: AddressesByVerdict): AddressesByVerdict => ({
    violated: own(violated),
    deviating: own(deviating),
    blocked: own(blocked),
  });
  return { observed: sortedAddresses(observed), documented: sortedAddresses(documented) };
}
