import type { Alter, MockAnswer } from '../../../mock/server.ts';
import { inTurn, type Variant } from '../../../mock/variants/variant.ts';
import type { Coverage } from '../../verdict/coverage.ts';
import { judgeProvider } from '../harness/provider.ts';
import { brief, type Proof, proofOf, proveRecorded, type RecordedProof, thorough } from './proof-faults.ts';

/** The result of variants put together. */
export interface VariantBatchProof extends Proof {
  coverage: Coverage;
  /** Names of those that answered nothing in another way than the usual provider. */
  alike: string[];
  recorded: RecordedProof;
}

/** What both profiles make of variants put together. */
export async function proveVariants(variantBatch: Variant[]): Promise<VariantBatchProof> {
  const watched = variantBatch.map(({ alter }) => watch(alter));
  const all = variantBatch.flatMap(({ settings = {} }) => settings);
  const identifiers = Object.assign({}, ...all.map((settings) => settings.identifiers));
  const settings = Object.assign({}, ...all, { identifiers });
  const { maxPages, ...usual } = settings.maxPages ? thorough : brief;
  const choices = Object.assign({}, usual.choices, ...variantBatch.map((variant) => variant.choices));
  const provider = { choices, alter: inTurn(...watched.map(({ alter }) => alter)) };
  const { observations, coverage, lines } = await judgeProvider(provider, { maxPages, ...settings });
  const alike = variantBatch.filter((variant, place) => !differs(variant, watched[place]));
  const recorded = await proveRecorded(lines);
  return { ...proofOf(observations), coverage, alike: alike.map(({ name }) => name), recorded };
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
