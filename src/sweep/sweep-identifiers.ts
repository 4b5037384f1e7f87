import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { number } from '../../schemas/counted.ts';
import { type Argument, type Arguments, pathOf, requestOf } from '../ask/request.ts';
import type { Exchanges } from '../ask/session.ts';
import { CircuitBreaker, maxConcurrency } from '../client/http-client.ts';
import { fileVariableOf, isOtherPath, type Shard } from '../client/target.ts';
import { identifierLineInShell } from '../redact/curl.ts';
import { blockedObservation } from '../redact/take.ts';
import {
  addLine,
  brokenIn,
  doneIn,
  emptyLine,
  headOf,
  type SweepContext,
  type Swept,
  type SweptLine,
  stopAt,
  takeAnswer,
} from './context.ts';
import { linesOf, openJournal } from './journal.ts';
import { inOrder, isOwn, requestsIn } from './paging.ts';
import { nothingSwept, shardText, sumOfBroken } from './summary.ts';

/** A file of identifiers, and what they are requested with. */
export interface IdentifierFile {
  operation: Operation;
  parameter: Parameter;
  /** The variable of identifiers, and the file that has more of them. */
  variable: string;
  file: string;
  byIdentifier: NonNullable<Exchanges['byIdentifier']>;
}

/** An identifier of a file, and the number of its line, from 1. */
interface IdentifierLine {
  identifier: string;
  line: number;
}

/** Lines that are judged before the journal says so. */
interface Block {
  number: number;
  lines: IdentifierLine[];
}

const blockSize = 20;

/** Asks for each identifier of a file, and judges each response like any other. */
export async function sweepIdentifiers(context: SweepContext, source: IdentifierFile): Promise<Swept> {
  const { target, progress } = context;
  const { shard } = target;
  const { operation } = source;
  const name = fileVariableOf(source.variable);
  const noun = `lines of ${name}`;
  const about = { operation: operation.id, noun, journal: name, mode: 'all' as const };
  const swept: Swept = { result: nothingSwept({ ...about, ...(shard ? { shard } : {}) }), requests: 0 };
  const { result } = swept;
  let next = 0;
  const add = (line: SweptLine) => {
    next = line.number + 1;
    swept.requests += line.requests;
    result.pages += line.held;
    addLine({ ...context, result }, line, `${operation.id}/`);
  };
  for await (const { lines } of blocksOf(source.file, name, shard, 0)) result.counted += lines.length;
  const journal = await openJournal<SweptLine>(target, name, headOf(context), add);
  const done = () => doneIn(result, result.pages, result.counted);
  const breaker = new CircuitBreaker({ inARow: true });
  const ask = (block: Block) => judgeBlock(context, source, block, breaker);
  progress.say(`sweep: ${number(result.counted)} ${noun}, one request each${shardText(shard)}`);
  progress.begin(result.judged);
  try {
    for await (const line of inOrder(blocksOf(source.file, name, shard, next), ask, 2)) {
      const isUnanswered = line.observations.every(({ notSent }) => notSent);
      if (isUnanswered) stopAt(result, line.number * blockSize, 'the target does not answer any more');
      if (isUnanswered) break;
      journal.add(line);
      add(line);
      progress.update(done());
    }
  } finally {
    journal.close();
  }
  progress.end(done());
  const isEmpty = result.counted === 0 && !shard;
  if (isEmpty) stopAt(result, 0, `${name} holds no identifier: write one a line, or unset it`);
  return swept;
}

/** Bytes of the longest identifier: no address holds more. */
const longestIdentifier = 64 << 10;

/**
 * The identifiers of a file, one a line; blank lines are none.
 * @throws an error for people when a line is longer than any identifier.
 */
async function* identifiersIn(file: string, name: string): AsyncGenerator<IdentifierLine> {
  let line = 0;
  for await (const { text } of linesOf(file, true)) {
    line += 1;
    if (text.length > longestIdentifier)
      throw new Error(`${name}: line ${line} has more than 64 KiB; write one identifier a line`);
    const identifier = text.trim();
    if (identifier !== '') yield { identifier, line };
  }
}

/** The blocks of identifiers that a shard asks for, from a number on. */
async function* blocksOf(
  file: string,
  name: string,
  shard: Shard | undefined,
  from: number,
): AsyncGenerator<Block> {
  const isAsked = ({ number, lines }: Block) => lines.length > 0 && number >= from && isOwn(shard, number);
  let block: Block = { number: 0, lines: [] };
  for await (const line of identifiersIn(file, name)) {
    block.lines.push(line);
    if (block.lines.length < blockSize) continue;
    if (isAsked(block)) yield block;
    block = { number: block.number + 1, lines: [] };
  }
  if (isAsked(block)) yield block;
}

async function judgeBlock(
  context: SweepContext,
  source: IdentifierFile,
  { number, lines }: Block,
  breaker: CircuitBreaker,
): Promise<SweptLine> {
  const sum = { ...emptyLine(number), held: lines.length };
  const ask = (line: IdentifierLine) => judgeLine(context, source, line, breaker);
  for await (const one of inOrder(lines, ask, maxConcurrency)) {
    sum.requests += one.requests;
    sum.judged += one.judged;
    sum.observations.push(...one.observations);
    sum.failed.push(...one.failed);
    for (const [address, records] of Object.entries(one.broken))
      sum.broken[address] = sumOfBroken(sum.broken[address], records);
  }
  return { ...sum, observations: context.sum(sum.observations) };
}

const unfit = '`.` and `..` name another path in an address: remove the line';

/** Requests an identifier, and judges the response. */
async function judgeLine(
  context: SweepContext,
  source: IdentifierFile,
  line: IdentifierLine,
  breaker: CircuitBreaker,
): Promise<SweptLine> {
  const { operation, parameter } = source;
  const parameters = parametersOf(source, line);
  const isUnfit = parameter.in === 'path' && isOtherPath(line.identifier);
  const answer = isUnfit
    ? { blocked: unfit, notSent: true as const }
    : await context.client.get(pathOf(operation, parameters), breaker);
  const about = { ...emptyLine(0), requests: requestsIn(answer) };
  if ('blocked' in answer) {
    const failed = [{ from: line.line, to: line.line, reason: answer.blocked }];
    const request = requestOf(operation, parameters, context.curl);
    return { ...about, observations: [blockedObservation(request, answer, true)], failed };
  }
  const { judged, observation } = takeAnswer(context, operation, parameters, answer);
  const isSuccess = judged.kind === 'success';
  const broken = (isSuccess ? brokenIn(context, judged) : []).map(({ requirement }) => [
    requirement,
    { records: 1, first: [line.line], pages: 1 },
  ]);
  return {
    ...about,
    judged: isSuccess && judged.blocked === undefined ? 1 : 0,
    observations: [observation],
    broken: Object.fromEntries(broken),
  };
}

function parametersOf(
  { parameter, variable, byIdentifier }: IdentifierFile,
  { identifier, line }: IdentifierLine,
): Arguments {
  const name = fileVariableOf(variable);
  const argument: Argument = {
    value: identifier,
    label: `{${name}, line ${line}}`,
    shell: identifierLineInShell(name, line),
    configured: true,
  };
  return byIdentifier[variable]?.(argument) ?? { [parameter.name]: argument };
}
