import { conditional } from '../../mock/faults/conditional.ts';
import type { Alter, MockAnswer } from '../../mock/server.ts';
import { inTurn, type Variant } from '../../mock/variants/variant.ts';
import type { Observation } from '../client/observation.ts';
import type { Coverage } from '../verdict/coverage.ts';
import { allOf, batches, operationOf, variantBatches } from './batches.ts';
import { judgeProvider, type Reading, readingsOf } from './provider.ts';
import { asked, isOf, short } from './request-selectors.ts';

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

export interface PartyProof extends Proof {
  coverage: Coverage;
  /** Names of those that answered nothing in another way than the usual provider. */
  alike: string[];
}

/** Names providers of the catalogue, by their places. */
export type Order = { batch: number } | { variantBatch: number };

const catalogue = batches();
const variantGroups = variantBatches();

function proofOf(observations: Observation[], settings?: Parameters<typeof readingsOf>[1]): Proof {
  const { observed, documented } = readingsOf(observations, settings);
  const marks = ({ violated, deviating, blocked }: Reading): Marks => ({ violated, deviating, blocked });
  return { observed: marks(observed), documented: marks(documented) };
}

/** Pages are followed, and long, only where that is what matters. */
const thorough = { choices: {}, maxPages: 3 };
const brief = { choices: short, maxPages: 1 };

async function proveBatch(index: number): Promise<BatchProof> {
  const batch = catalogue[index] ?? [];
  const undeclared = batch.some(({ fault }) => fault.undeclared) ? { undeclaredFields: 'fail' as const } : {};
  const { choices, maxPages } = batch.some(({ fault }) => conditional.includes(fault)) ? thorough : brief;
  const settings = { identifiers: asked, maxPages, ...undeclared };
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

async function proveVariantBatch(index: number): Promise<PartyProof> {
  const variantBatch = variantGroups[index] ?? [];
  const watched = variantBatch.map(({ alter }) => watch(alter));
  const all = variantBatch.flatMap(({ settings = {} }) => settings);
  const identifiers = Object.assign({}, ...all.map((settings) => settings.identifiers));
  const settings = Object.assign({}, ...all, { identifiers });
  const { maxPages, ...usual } = settings.maxPages ? thorough : brief;
  const choices = Object.assign({}, usual.choices, ...variantBatch.map((variant) => variant.choices));
  const provider = { choices, alter: inTurn(...watched.map(({ alter }) => alter)) };
  const { observations, coverage } = await judgeProvider(provider, { maxPages, ...settings });
  const alike = variantBatch.filter((variant, place) => !differs(variant, watched[place]));
  return { ...proofOf(observations), coverage, alike: alike.map(({ name }) => name) };
}

const differs = ({ alter, choices, settings }: Variant, watched?: Watched) =>
  Boolean(watched?.changed() || settings?.headers || (!alter && choices));

interface Watched {
  alter: Alter;
  changed: () => boolean;
}

/** The same alteration, and whether any answer was changed by it. */
function watch(alter: Alter = (answer) => answer): Watched {
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
  const proof = 'batch' in order ? proveBatch(order.batch) : proveVariantBatch(order.variantBatch);
  proof.then(
    (found) => process.send?.({ proof: found }),
    (error: Error) => process.send?.({ failure: error.stack }),
  );
});
