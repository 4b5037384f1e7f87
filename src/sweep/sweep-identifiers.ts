import { readFileSync } from 'node:fs';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { formatNumber } from '../../schemas/counted.ts';
import { isOtherPath } from '../client/target.ts';
import type { OperationRequests } from '../operations/operation-file.ts';
import { type Argument, type Arguments, sendAndJudge } from '../operations/request.ts';
import { identifierLineInShell } from '../redact/curl.ts';
import { shownBy } from '../relations/shown.ts';
import { splitIntoBatches } from './paging.ts';
import { isOwn } from './shards.ts';
import { formatShard } from './summary.ts';
import { filterViolations, Sweep, type SweepContext, type SweptLine } from './sweep.ts';

/** File of identifiers, with the parameter that takes them. */
export interface IdentifierFile {
  operation: Operation;
  parameter: Parameter;
  /** Configuration variable that names the file, such as `CARD_IDS`. */
  variable: string;
  /** Absolute path of the file. */
  file: string;
  /** Functions of the operation file that add further parameters to an identifier, keyed by variable. */
  byIdentifier: NonNullable<OperationRequests['byIdentifier']>;
}

/** Identifier with the number of its line, from 1. */
interface IdentifierLine {
  identifier: string;
  line: number;
}

/** Sweeps a file of identifiers: sends a request for each line that belongs to the shard, and judges each response. */
export async function sweepIdentifiers(context: SweepContext, source: IdentifierFile): Promise<void> {
  const { operation, file, variable } = source;
  const description = { operation: operation.id, noun: `lines of ${variable}`, mode: 'all' as const };
  const sweep = new Sweep(context, { ...description, journal: `${operation.id}-${variable}` });
  const { result } = sweep;
  const lines = readIdentifierLines(file).filter((_, index) => isOwn(result.shard, index));
  result.counted = lines.length;
  await sweep.open();
  const extent = `${formatNumber(result.counted)} ${description.noun}, one request each${formatShard(result.shard)}`;
  context.progress.say(`sweep: ${extent}`);
  try {
    const remaining = lines.filter(({ line }) => !sweep.done.has(line));
    await judgeLines(sweep, source, remaining);
  } finally {
    sweep.close();
  }
}

/** Reads a file with an identifier on each line. Skips blank lines. */
const readIdentifierLines = (file: string): IdentifierLine[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text, index) => ({ identifier: text.trim(), line: index + 1 }))
    .filter(({ identifier }) => identifier !== '');

/** Requests and judges the lines in batches, until the target does not respond any more. */
async function judgeLines(sweep: Sweep, source: IdentifierFile, lines: IdentifierLine[]): Promise<void> {
  const { result } = sweep;
  for (const batch of splitIntoBatches(lines))
    for (const sweptLine of await Promise.all(batch.map((line) => judgeLine(sweep, source, line)))) {
      if (sweptLine.observations.some(({ notSent }) => notSent))
        return sweep.stopAt(result.pages, 'the target does not answer any more');
      sweep.add(sweptLine);
      sweep.show(result.pages, result.counted);
    }
}

/** Reason not to send `.` or `..`: clients remove such segments from a path (RFC 3986, section 5.2.4). */
const otherPathReason = '`.` and `..` name another path in an address: remove the line';

/** Sends a request for the identifier of a line, and judges the response. Sends none for `.` and `..`. */
async function judgeLine(sweep: Sweep, source: IdentifierFile, line: IdentifierLine): Promise<SweptLine> {
  const { operation, parameter } = source;
  /** Line of the journal without a judged record. */
  const uncounted = { number: line.line, pages: 1, observations: [] };
  const createFailure = (reason: string) => [{ from: line.line, to: line.line, reason }];
  if (parameter.in === 'path' && isOtherPath(line.identifier))
    return { ...uncounted, failed: createFailure(otherPathReason) };
  const parameters = createArguments(source, line);
  const { judged: judgement, observation } = await sendAndJudge(sweep.context, operation, parameters);
  const observations = [observation];
  if (!judgement) return { ...uncounted, observations, failed: createFailure(observation.blocked ?? '') };
  const violations = judgement.kind === 'success' ? filterViolations(sweep.context, judgement) : [];
  const brokenLine = { records: 1, first: [line.line], pages: 1 };
  return {
    ...uncounted,
    judged: shownBy(operation, judgement).kind === 'success' ? 1 : 0,
    observations,
    broken: Object.fromEntries(violations.map(({ requirement }) => [requirement, brokenLine])),
  };
}

/** Creates the parameters of a request. Reports show `{CARD_IDS, line 3}` instead of the identifier. */
function createArguments(
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
