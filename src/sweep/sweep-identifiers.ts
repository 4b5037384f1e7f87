import { readFileSync } from 'node:fs';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { number } from '../../schemas/counted.ts';
import { isOtherPath } from '../client/target.ts';
import type { OperationRequests } from '../operations/operation-file.ts';
import { type Argument, type Arguments, sendAndJudge } from '../operations/request.ts';
import { identifierLineInShell } from '../redact/curl.ts';
import { shownBy } from '../relations/shown.ts';
import { batchesOf } from './paging.ts';
import { isOwn } from './shards.ts';
import { shardText } from './summary.ts';
import { brokenIn, Sweep, type SweepContext, type SweptLine } from './sweep.ts';

/** A file of identifiers, and what they are requested with. */
export interface IdentifierFile {
  operation: Operation;
  parameter: Parameter;
  /** The variable of identifiers, and the file that has more of them. */
  variable: string;
  file: string;
  byIdentifier: NonNullable<OperationRequests['byIdentifier']>;
}

/** An identifier of a file, and the number of its line, from 1. */
interface IdentifierLine {
  identifier: string;
  line: number;
}

/** Asks for each identifier of a file, and judges each response like any other. */
export async function sweepIdentifiers(context: SweepContext, source: IdentifierFile): Promise<void> {
  const { operation, file, variable } = source;
  const about = { operation: operation.id, noun: `lines of ${variable}`, mode: 'all' as const };
  const sweep = new Sweep(context, { ...about, journal: `${operation.id}-${variable}` });
  const { result } = sweep;
  const lines = linesOf(file).filter((_, number) => isOwn(result.shard, number));
  result.counted = lines.length;
  await sweep.open();
  const extent = `${number(result.counted)} ${about.noun}, one request each${shardText(result.shard)}`;
  context.progress.say(`sweep: ${extent}`);
  try {
    const left = lines.filter(({ line }) => !sweep.done.has(line));
    await follow(sweep, source, left);
  } finally {
    sweep.close();
  }
}

/** One identifier a line; blank lines are none. */
const linesOf = (file: string): IdentifierLine[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text, index) => ({ identifier: text.trim(), line: index + 1 }))
    .filter(({ identifier }) => identifier !== '');

async function follow(sweep: Sweep, source: IdentifierFile, lines: IdentifierLine[]): Promise<void> {
  const { result } = sweep;
  for (const batch of batchesOf(lines))
    for (const judged of await Promise.all(batch.map((line) => judgeLine(sweep, source, line)))) {
      if (judged.observations.some(({ notSent }) => notSent))
        return sweep.stopAt(result.pages, 'the target does not answer any more');
      sweep.add(judged);
      sweep.show(result.pages, result.counted);
    }
}

const unfit = '`.` and `..` name another path in an address: remove the line';

/** Requests an identifier, and judges the response. */
async function judgeLine(sweep: Sweep, source: IdentifierFile, line: IdentifierLine): Promise<SweptLine> {
  const { operation, parameter } = source;
  const nothing = { number: line.line, pages: 1, observations: [] };
  const failed = (reason: string) => [{ from: line.line, to: line.line, reason }];
  if (parameter.in === 'path' && isOtherPath(line.identifier)) return { ...nothing, failed: failed(unfit) };
  const parameters = parametersOf(source, line);
  const { judged, observation } = await sendAndJudge(sweep.context, operation, parameters);
  const observations = [observation];
  if (!judged) return { ...nothing, observations, failed: failed(observation.blocked ?? '') };
  const isSuccess = judged.kind === 'success';
  const one = { records: 1, first: [line.line], pages: 1 };
  const broken = isSuccess ? brokenIn(sweep.context, judged) : [];
  return {
    ...nothing,
    judged: shownBy(operation, judged).kind === 'success' ? 1 : 0,
    observations,
    broken: Object.fromEntries(broken.map(({ requirement }) => [requirement, one])),
  };
}

function parametersOf(
  { parameter, variable, byIdentifier }: IdentifierFile,
  { identifier, line }: IdentifierLine,
): Arguments {
  const argument: Argument = {
    value: identifier,
    label: `{${variable}, line ${line}}`,
    shell: identifierLineInShell(variable, line),
    configured: true,
  };
  return byIdentifier[variable]?.(argument) ?? { [parameter.name]: argument };
}
