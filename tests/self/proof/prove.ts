import type { Alter, MockAnswer } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Coverage } from '../../../src/verdict/coverage.ts';
import { judgeProvider, type ProfileResult, resultsByProfile } from '../harness/provider.ts';
import { observedTraffic } from '../traffic/judging.ts';
import type { RecordedLine } from '../traffic/recorded-lines.ts';
import { allOf, operationOf, type Placed } from './batches.ts';
import { conditional } from './faults/behaviour.ts';
import { relations } from './faults/relations.ts';
import { relatedFields } from './faults/relations-of-cards-and-rules.ts';
import { asked, isOf, isSentBy, short } from './request-selectors.ts';
import { inTurn, type Variant } from './variants/variant.ts';

/** What goes red in either profile. */
export type Proof = Record<'observed' | 'documented', AddressesByVerdict>;
export type AddressesByVerdict = Pick<ProfileResult, 'violated' | 'deviating' | 'blocked'>;

/** What is made of the same exchanges, recorded; how many of them say nothing, by reason. */
export interface RecordedProof extends Proof {
  skipped: Record<string, number>;
}

type Settings = NonNullable<Parameters<typeof judgeProvider>[1]>;
type Judged = Awaited<ReturnType<typeof judgeProvider>>;

const proofOf = (observations: Judged['observations'], settings: Settings = {}): Proof =>
  resultsByProfile(observations, settings, 'asked');

/** Pages are followed, and long, only where that is what matters. */
const thorough = { choices: {}, maxPages: 3 };
const brief = { choices: short, maxPages: 1 };

const followed = new Set([...conditional, ...relatedFields, ...relations]);

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

async function ask(batch: Placed[], identifiers: typeof asked): Promise<Judged & { settings: Settings }> {
  const undeclared = batch.some(({ fault }) => fault.undeclared) ? { undeclaredFields: 'fail' as const } : {};
  const { choices, maxPages } = batch.some(({ fault }) => followed.has(fault)) ? thorough : brief;
  const settings = { identifiers, maxPages, ...undeclared };
  const { observations, lines } = await judgeProvider({ choices, alter: allOf(batch) }, settings);
  return { observations, lines, settings } as Judged & { settings: Settings };
}

/** What both profiles make of one provider with several faults, where each of them is and all in all, and of a recording of it. */
export async function proveFaults(
  batch: Placed[],
): Promise<Proof & { each: (Proof & { recorded: RecordedProof })[] }> {
  const exchanges = await ask(batch, identifiersFor(batch));
  const { lines, settings } = exchanges;
  const whole = proofOf(exchanges.observations, settings);
  const isAlone = batch.some(({ selector }) => !selector);
  const recorded = await proveRecorded(isAlone ? lines : [], settings);
  const each = batch.map(async (placed) => ({
    ...proofAt(placed, exchanges, whole),
    recorded: placed.selector
      ? await proveRecorded(linesTo(placed.selector, lines), settings)
      : { ...within(operationOf(placed.fault), recorded), skipped: recorded.skipped },
  }));
  return { ...whole, each: await Promise.all(each) };
}

const linesTo = (selector: NonNullable<Placed['selector']>, lines: RecordedLine[]) =>
  lines.filter((line) => isSentBy(selector, line));

/** The same of each of the faults, without a recording; with fewer identifiers less is asked. */
export async function proveAsked(batch: Placed[], identifiers: typeof asked): Promise<Proof[]> {
  const exchanges = await ask(batch, identifiers);
  const whole = proofOf(exchanges.observations, exchanges.settings);
  return batch.map((placed) => proofAt(placed, exchanges, whole));
}

/** The part of a proof that is about one fault. */
function proofAt(
  { fault, selector }: Placed,
  { observations, settings }: Judged & { settings: Settings },
  whole: Proof,
): Proof {
  if (!selector) return within(operationOf(fault), whole);
  return proofOf(
    observations.filter((one) => isOf(selector, one)),
    settings,
  );
}

/** What both profiles make of a recording. */
async function proveRecorded(lines: RecordedLine[], settings?: Settings): Promise<RecordedProof> {
  const text = lines.map((one) => one.text).join('');
  const { observations, traffic } = await observedTraffic(['-'], { text, name: 'mock' });
  return { ...proofOf(observations, settings), skipped: traffic.skipped };
}

/** The part of a proof that is about one operation. */
function within(operation: string, { observed, documented }: Proof): Proof {
  const own = (addresses: string[]) => addresses.filter((address) => address.startsWith(`${operation}/`));
  const ownOf = ({ violated, deviating, blocked }: AddressesByVerdict): AddressesByVerdict => ({
    violated: own(violated),
    deviating: own(deviating),
    blocked: own(blocked),
  });
  return { observed: ownOf(observed), documented: ownOf(documented) };
}

/** The result of variants put together. */
interface VariantBatchProof extends Proof {
  coverage: Coverage;
  /** Names of those that answered nothing in another way than the usual provider. */
  alike: string[];
  recorded: RecordedProof;
}

/** What both profiles make of variants put together. */
export async function proveVariants(variantBatch: Variant[]): Promise<VariantBatchProof> {
  const watched = variantBatch.map(watch);
  const all = variantBatch.flatMap(({ settings = {} }) => settings);
  const identifiers = Object.assign({}, ...all.map((settings) => settings.identifiers));
  const settings = Object.assign({}, ...all, { identifiers });
  const { maxPages, ...usual } = settings.maxPages ? thorough : brief;
  const choices = Object.assign({}, usual.choices, ...variantBatch.map((variant) => variant.choices));
  const provider = { choices, alter: inTurn(...watched.map(({ alter }) => alter)) };
  const { observations, coverage, lines } = await judgeProvider(provider, { maxPages, ...settings });
  const alike = watched.filter(({ differs }) => !differs()).map(({ name }) => name);
  const recorded = await proveRecorded(lines);
  return { ...proofOf(observations), coverage, alike, recorded };
}

/** A variant's alteration, and whether anything was other than usual for it. */
function watch({ name, alter, choices, settings }: Variant) {
  let changed = Boolean(settings?.headers || (!alter && choices));
  const watched: Alter = async (answer, request) => {
    const before = changed ? '' : print(answer);
    const altered = (await alter?.(answer, request)) ?? answer;
    changed ||= print(altered) !== before;
    return altered;
  };
  return { name, alter: watched, differs: () => changed };
}

const print = ({ status, headers, body, raw = '' }: MockAnswer) =>
  JSON.stringify([status, headers, body, raw.toString('latin1')]);
