import type { Alter, MockAnswer } from '../../mock/server.ts';
import { variants } from '../../mock/variants/index.ts';
import type { Observation } from '../client/observation.ts';
import type { Coverage } from '../contract/coverage.ts';
import { allOf, batches, operationOf } from './batches.ts';
import { judgeProvider, type Reading, readingsOf } from './provider.ts';
import { asked, isOf } from './slots.ts';

/** What goes red in either profile. */
export interface Proof {
  observed: Marks;
  documented: Marks;
}

export type Marks = Pick<Reading, 'violated' | 'deviating' | 'blocked'>;

/** What a batch of faults came to: where each of them is, and all in all. */
export interface BatchProof extends Proof {
  each: Proof[];
}

export interface VariantProof extends Proof {
  coverage: Coverage;
  /** Whether it answered anything in another way than the usual provider. */
  differs: boolean;
}

/** Names providers of the catalogue: a batch by its place, or a variant. */
export type Order = { batch: number } | { variant: string };

const catalogue = batches();

function proofOf(observations: Observation[], settings?: Parameters<typeof readingsOf>[1]): Proof {
  const { observed, documented } = readingsOf(observations, settings);
  const marks = ({ violated, deviating, blocked }: Reading): Marks => ({ violated, deviating, blocked });
  return { observed: marks(observed), documented: marks(documented) };
}

/** Pages are followed, and long, only where that is what matters: hundreds of runs are to be quick. */
const thorough = { choices: {}, maxPages: 3 };
const brief = { choices: { defaultLimit: 10 }, maxPages: 1 };

async function proveBatch(index: number): Promise<BatchProof> {
  const batch = catalogue[index] ?? [];
  const undeclared = batch.some(({ fault }) => fault.undeclared) ? { undeclaredFields: 'fail' as const } : {};
  // A fault of a slot shows on any page.
  const { choices, maxPages } = batch.every(({ slot }) => slot) ? brief : thorough;
  const settings = { ...asked, maxPages, ...undeclared };
  const { observations } = await judgeProvider({ choices, alter: allOf(batch) }, settings);
  const whole = proofOf(observations, settings);
  const each = batch.map(({ fault, slot }) => {
    const own = observations.filter((one) => slot && isOf(slot, one));
    return slot ? proofOf(own, settings) : within(operationOf(fault), whole);
  });
  return { ...whole, each };
}

/** The part of a proof that is about one operation. */
function within(operation: string, { observed, documented }: Proof): Proof {
  const own = (addresses: string[]) => addresses.filter((address) => address.startsWith(`${operation}/`));
  const marks = ({ violated, deviating, blocked }: Marks): Marks => ({
    violated: own(violated),
    deviating: own(deviating),
    blocked: own(blocked),
  });
  return { observed: marks(observed), documented: marks(documented) };
}

async function proveVariant(wanted: string): Promise<VariantProof> {
  const found = variants.find(({ name }) => name === wanted);
  if (!found) throw new Error(`there is no variant "${wanted}"`);
  const { settings = {}, alter, name: _, deviates: __, ...provider } = found;
  const watched = watch(alter);
  const { maxPages, ...usual } = settings.maxPages ? thorough : brief;
  const choices = { ...usual.choices, ...provider.choices };
  const { observations, coverage } = await judgeProvider(
    { ...provider, ...watched, choices },
    { maxPages, ...settings },
  );
  const differs = Boolean(watched.changed() || provider.choices || settings.headers);
  return { ...proofOf(observations), coverage, differs };
}

/** The same alteration, and whether any answer was changed by it. */
function watch(alter?: Alter): { alter?: Alter; changed: () => boolean } {
  if (!alter) return { changed: () => false };
  let changed = false;
  const watched: Alter = async (answer, request) => {
    const before = changed ? '' : print(answer);
    const altered = await alter(answer, request);
    changed ||= print(altered) !== before;
    return altered;
  };
  return { alter: watched, changed: () => changed };
}

const print = ({ status, headers, body, raw = '' }: MockAnswer) =>
  JSON.stringify([status, headers, body, raw.toString('latin1')]);

process.setSourceMapsEnabled(false);
process.on('message', (order: Order) => {
  const proof = 'batch' in order ? proveBatch(order.batch) : proveVariant(order.variant);
  proof.then(
    (found) => process.send?.({ proof: found }),
    (error: Error) => process.send?.({ failure: error.stack }),
  );
});
