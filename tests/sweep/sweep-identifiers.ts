import { number } from '../../schemas/counted.ts';
import { CircuitBreaker } from '../client/circuit-breaker.ts';
import { maxConcurrency } from '../client/http-client.ts';
import { fileVariableOf } from '../configuration/identifier-variables.ts';
import type { Observation } from '../redaction/observation.ts';
import { FoldedObservations } from '../verdict/folded-observations.ts';
import { headOf, type SweepContext } from './context.ts';
import { countIdentifiers, type IdentifierLine, identifiersIn } from './identifiers/identifier-lines.ts';
import { type IdentifierFile, judgeIdentifier } from './identifiers/judge-identifier.ts';
import { Journal } from './journal/journal.ts';
import { countOwn, inOrder, isOwn, type Part } from './paging/paging.ts';
import { identifierResultOf } from './results/identifier-result.ts';
import type { BrokenRecords, Swept } from './results/result.ts';
import { addedUp, nothingOf, type PageResult, Tally } from './results/tally.ts';
import { metered } from './sweep-requests.ts';

/** Identifiers that are judged before the journal says so. */
const batchSize = 20;

interface Batch {
  number: number;
  lines: IdentifierLine[];
}

/** Asks for each identifier of a file, and judges each response like any other. */
export async function sweepIdentifiers(context: SweepContext, source: IdentifierFile): Promise<Swept> {
  const { target, part } = context;
  const { operation } = source;
  const name = fileVariableOf(source.variable);
  const noun = `lines of ${name}`;
  const tally = new Tally(context.contract.operations);
  const { journal } = Journal.open(target, name, headOf(context, name), (page) => tally.add(page));
  const earlierRequests = tally.requests;
  const keep = (page: PageResult) => {
    journal.page(page, new Uint32Array());
    tally.add(page);
  };
  try {
    const stopped = await sweepLines(context, source, { noun, tally, keep });
    const result = identifierResultOf({ operation, journal: name, noun, tally, stopped, part, batchSize });
    return { result, observations: tally.observations(), earlierRequests };
  } finally {
    journal.close();
  }
}

/** A sweep that has begun, or goes on. */
interface Begun {
  noun: string;
  tally: Tally;
  keep(page: PageResult): void;
}

/** Says how it goes on. @returns why it ended early, if it did */
async function sweepLines(
  context: SweepContext,
  source: IdentifierFile,
  { noun, tally, keep }: Begun,
): Promise<string | undefined> {
  const { progress, part } = context;
  const all = countIdentifiers(source.file);
  const count = countOwnLines(all, part);
  const share = part ? `, part ${part.current} of ${part.total}` : '';
  progress.say(`sweep: ${number(count)} ${noun}, one request each${share}`);
  progress.begin(tally.judged);
  const reached = () => ({ noun, records: tally.held, of: count, violations: tally.violations });
  const batches = batchesOf(source.file, tally.next, (number) => isOwn(part, number));
  let stopped = all === 0 ? holdsNothing(source) : undefined;
  const breaker = new CircuitBreaker({ inARow: true });
  for await (const page of inOrder(batches, (batch) => judgeBatch(context, source, batch, breaker), 2)) {
    stopped = isUnanswered(page) ? 'the target does not answer any more' : undefined;
    if (stopped) break;
    keep(page);
    progress.update(reached());
  }
  progress.end(reached());
  return stopped;
}

const holdsNothing = ({ variable }: IdentifierFile) =>
  `${fileVariableOf(variable)} holds no identifier: write one a line, or unset it`;

const isUnanswered = ({ held, observations }: PageResult) =>
  held > 0 && observations.every(({ notSent }) => notSent);

/** Lines of the batches that a part asks for: all batches but the last are full. */
function countOwnLines(all: number, part: Part | undefined): number {
  const batches = Math.ceil(all / batchSize);
  const missing = isOwn(part, batches - 1) ? batches * batchSize - all : 0;
  return countOwn(part, batches) * batchSize - missing;
}

function* batchesOf(file: string, from: number, isMine: (number: number) => boolean): Generator<Batch> {
  let [number, lines]: [number, IdentifierLine[]] = [0, []];
  for (const line of identifiersIn(file)) {
    lines.push(line);
    if (lines.length < batchSize) continue;
    if (number >= from && isMine(number)) yield { number, lines };
    [number, lines] = [number + 1, []];
  }
  if (lines.length > 0 && number >= from && isMine(number)) yield { number, lines };
}

async function judgeBatch(
  context: SweepContext,
  source: IdentifierFile,
  { number, lines }: Batch,
  breaker: CircuitBreaker,
): Promise<PageResult> {
  const folded = new FoldedObservations(context.contract.operations);
  const page: PageResult = { ...nothingOf(number), held: lines.length, blocked: [] };
  const client = metered(context.client);
  const ask = (line: IdentifierLine) => judgeIdentifier({ ...context, client }, source, line, breaker);
  for await (const { line, observation, broken } of inOrder(lines, ask, maxConcurrency)) {
    folded.add(context.disclosure.settleUnlearned(observation));
    if (observation.blocked === undefined && observation.response === 'success') page.judged += 1;
    if (observation.status === undefined)
      page.blocked?.push({
        from: line,
        to: line,
        reason: context.disclosure.maskReason(observation.blocked ?? ''),
      });
    for (const address of broken)
      page.broken[address] = addedUp(page.broken[address], brokenRecord(line, observation));
  }
  return { ...page, observations: folded.list(), requests: client.take() };
}

const brokenRecord = (line: number, { states }: Observation): BrokenRecords => ({
  records: 1,
  first: [line],
  states: Object.fromEntries(Object.keys(states).map((state) => [state, 1])),
  pages: 1,
});
