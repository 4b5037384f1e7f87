import { readFileSync } from 'node:fs';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { formatNumber } from '../../schemas/counted.ts';
import { isDotSegment } from '../client/target.ts';
import type { OperationRequests } from '../operations/operation-file.ts';
import { type Argument, type Arguments, sendAndJudge } from '../operations/request.ts';
import { buildIdentifierLineExpression } from '../redact/curl.ts';
import type { Observation } from '../redact/observation.ts';
import { getComparableContent } from '../relations/comparable.ts';
import { splitIntoBatches } from './paging.ts';
import { belongsToShard } from './shards.ts';
import { formatShard } from './summary.ts';
import { filterViolations, Sweep, type SweepContext, type SweptLine } from './sweep.ts';

export interface IdentifierFile {
  operation: Operation;
  parameter: Parameter;
  variable: string;
  file: string;
  /**
   * Functions that build all parameters of a request from an identifier, such as `type` and `user_id`, keyed by environment
   * variable. For a variable without a function, the identifier is the only parameter.
   */
  argumentBuilders: NonNullable<OperationRequests['argumentBuilders']>;
}

interface IdentifierLine {
  identifier: string;
  /** Line number in the file, from 1, blank lines included. */
  lineNumber: number;
}

/** Looks up each identifier in a file, and judges the responses. Skips the lines of other shards, and those in the journal. */
export async function sweepIdentifiers(context: SweepContext, source: IdentifierFile): Promise<void> {
  const { operation, file, variable } = source;
  const description = { operation: operation.id, noun: `lines of ${variable}`, mode: 'all' as const };
  const sweep = new Sweep(context, { ...description, journal: `${operation.id}-${variable}` });
  const { result } = sweep;
  const lines = readIdentifierLines(file).filter((_, index) => belongsToShard(result.shard, index));
  result.counted = lines.length;
  await sweep.open();
  const extent = `${formatNumber(result.counted)} ${description.noun}, one request each${formatShard(result.shard)}`;
  context.progress.say(`sweep: ${extent}`);
  try {
    const remaining = lines.filter(({ lineNumber }) => !sweep.done.has(lineNumber));
    await judgeLines(sweep, source, remaining);
  } finally {
    sweep.close();
  }
}

const readIdentifierLines = (file: string): IdentifierLine[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((text, index) => ({ identifier: text.trim(), lineNumber: index + 1 }))
    .filter(({ identifier }) => identifier !== '');

async function judgeLines(sweep: Sweep, source: IdentifierFile, lines: IdentifierLine[]): Promise<void> {
  const { result } = sweep;
  for (const batch of splitIntoBatches(lines)) {
    const sweptLines = await Promise.all(batch.map((line) => judgeLine(sweep, source, line)));
    for (const sweptLine of sweptLines) {
      const { pages: doneCount } = result;
      if (sweptLine.observations.some(({ notSent }) => notSent))
        return sweep.stopAt(doneCount, 'the target has stopped responding');
      sweep.add(sweptLine);
      sweep.show(doneCount + 1, result.counted);
    }
  }
}

/** Reason why `.` and `..` cannot be sent: HTTP clients remove such path segments (RFC 3986, section 5.2.4). */
const otherPathReason = '`.` and `..` name another path in an address: remove the line';

/** Looks up one identifier, and judges the response. The line counts as `judged` only if the response shows a record. */
async function judgeLine(sweep: Sweep, source: IdentifierFile, line: IdentifierLine): Promise<SweptLine> {
  const { operation, parameter } = source;
  const { identifier, lineNumber } = line;
  if (parameter.in === 'path' && isDotSegment(identifier))
    return createFailedLine(lineNumber, otherPathReason, []);
  const parameters = createArguments(source, line);
  const { judged: judgement, observation } = await sendAndJudge(sweep.context, operation, parameters);
  if (!judgement) return createFailedLine(lineNumber, observation.blocked ?? '', [observation]);
  // Whether a rejection is a violation, `resolveRejections` decides later, by comparison with other responses.
  const violations = judgement.kind === 'success' ? filterViolations(sweep.context, judgement) : [];
  const brokenRecords = { records: 1, first: [lineNumber], pages: 1 };
  // A success shows no record if its body could not be judged.
  const hasRecord = getComparableContent(operation, judgement).kind === 'success';
  return {
    number: lineNumber,
    pages: 1,
    observations: [observation],
    judged: hasRecord ? 1 : 0,
    broken: Object.fromEntries(violations.map(({ requirement }) => [requirement, brokenRecords])),
  };
}

function createFailedLine(lineNumber: number, reason: string, observations: Observation[]): SweptLine {
  const failed = [{ from: lineNumber, to: lineNumber, reason }];
  return { number: lineNumber, pages: 1, observations, failed };
}

/** Creates the parameters of a request. Reports show a label such as `{CARD_IDS, line 3}` in place of the identifier. */
function createArguments(
  { parameter, variable, argumentBuilders }: IdentifierFile,
  { identifier, lineNumber }: IdentifierLine,
): Arguments {
  const argument: Argument = {
    value: identifier,
    label: `{${variable}, line ${lineNumber}}`,
    shell: buildIdentifierLineExpression(variable, lineNumber),
    // Set by the user, and not taken from a response.
    configured: true,
  };
  return argumentBuilders[variable]?.(argument) ?? { [parameter.name]: argument };
}
