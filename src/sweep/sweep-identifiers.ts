import { readFileSync } from 'node:fs';
import type { Operation, Parameter } from '../../schemas/contract/contract.ts';
import { formatCount, formatNumber } from '../../schemas/counted.ts';
import { explainInconclusive, formatErrorStatus } from '../../schemas/judge/classify.ts';
import { formatUnauthorizedReason } from '../client/reasons.ts';
import { isDotSegment } from '../client/target.ts';
import type { OperationRequests } from '../operations/operation-file.ts';
import { type Argument, type Arguments, sendAndJudge } from '../operations/request.ts';
import { buildIdentifierLineExpression } from '../redact/curl.ts';
import { createKeyedHash } from '../redact/keyed-hash.ts';
import type { Observation } from '../redact/observation.ts';
import { getComparableContent } from '../relations/comparable.ts';
import { splitIntoBatches } from './paging.ts';
import { belongsToShard } from './shards.ts';
import { addSweptCounts, formatShard } from './summary.ts';
import { createHashKey, filterViolations, Sweep, type SweepContext, type SweptLine } from './sweep.ts';

export interface IdentifierFile {
  operation: Operation;
  parameter: Parameter;
  variable: string;
  file: string;
  /** A variable without a function needs only the identifier itself. */
  argumentBuilders: NonNullable<OperationRequests['argumentBuilders']>;
}

interface IdentifierLine {
  identifier: string;
  lineNumber: number;
}

/**
 * Sweeps a file of identifiers, such as `CARD_IDS=@cards.txt`. Sends one request for each identifier in the file, and judges the
 * response. A shard requests only its share of the identifiers.
 * @throws {JournalError} if `RESUME=1` would continue a sweep with other settings or another file
 */
export async function sweepIdentifiers(context: SweepContext, source: IdentifierFile): Promise<void> {
  const { operation, file, variable } = source;
  const sweep = new Sweep(context, {
    operation: operation.id,
    noun: `lines of ${variable}`,
    journal: `${operation.id}-${variable}`,
  });
  const { result } = sweep;
  const allLines = readIdentifierLines(file);
  const lines = allLines.filter((_, index) => belongsToShard(result.shard, index));
  result.populationSize = lines.length;
  const identifiers = JSON.stringify(allLines.map(({ identifier, lineNumber }) => [lineNumber, identifier]));
  const fileHash = createKeyedHash(createHashKey(context))(identifiers);
  // Merging prints the division, so that it holds only two characters of the hash: a whole hash would confirm a guessed identifier.
  result.division = `a file of ${formatCount(allLines.length, 'line')} (${fileHash.slice(0, 2)})`;
  // `RESUME=1` skips lines by their number, so that the file must have the same lines.
  await sweep.open({ settings: { [`${variable} file`]: fileHash } });
  const extent = `${formatNumber(result.populationSize)} ${result.noun}, one request each${formatShard(result.shard)}`;
  context.progress.say(`sweep: ${extent}`);
  try {
    const remainingLines = lines.filter(({ lineNumber }) => !sweep.done.has(lineNumber));
    await judgeLines(sweep, source, remainingLines);
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
      const wasNotSent = sweptLine.observations.some(({ notSent }) => notSent);
      // `stopAt` counts lines from 0, and `number` counts them from 1.
      if (wasNotSent) return sweep.stopAt(sweptLine.number - 1, 'the target has stopped responding');
      if (sweptLine.failedRanges) addFailedLine(sweep, sweptLine);
      else sweep.add(sweptLine);
      sweep.show(result.pages, result.populationSize);
    }
  }
}

/** Adds a failed line to the result, but not to the journal, so that a resumed sweep requests the line again. */
function addFailedLine({ result, context }: Sweep, line: SweptLine): void {
  addSweptCounts(result, line);
  for (const observation of line.observations) context.totals.add(observation);
}

/**
 * Text for reports that explains why the identifiers `.` and `..` are not sent in a path. HTTP clients remove the path segments
 * `.` and `..` (RFC 3986, section 5.2.4).
 */
const otherPathReason = '`.` and `..` name another path in an address: remove the line';

async function judgeLine(sweep: Sweep, source: IdentifierFile, line: IdentifierLine): Promise<SweptLine> {
  const { operation, parameter } = source;
  const { identifier, lineNumber } = line;
  if (parameter.in === 'path' && isDotSegment(identifier))
    return createFailedLine(lineNumber, otherPathReason, []);
  const parameters = createArguments(source, line);
  const { judged: judgement, observation } = await sendAndJudge(sweep.context, operation, parameters);
  const failureReason = explainFailure(observation);
  if (!judgement || failureReason) return createFailedLine(lineNumber, failureReason ?? '', [observation]);
  // Excludes a success whose body could not be judged.
  const hasRecord = getComparableContent(operation, judgement).kind === 'success';
  // `resolveRejections` decides after the sweep whether a rejection is a violation.
  const violations = judgement.kind === 'success' ? filterViolations(sweep.context, judgement) : [];
  const brokenRecords: SweptLine['brokenRecords'] = {};
  for (const { requirement } of violations)
    brokenRecords[requirement] = { records: 1, first: [lineNumber], pages: 1 };
  return {
    number: lineNumber,
    pages: 1,
    lastReceived: lineNumber,
    observations: [observation],
    judged: hasRecord ? 1 : 0,
    brokenRecords,
  };
}

/** Explains why a lookup got no conclusive response, for example because of HTTP 429. A resumed sweep repeats this lookup. */
function explainFailure({ blocked, kind = 'other', status = 0 }: Observation): string | undefined {
  const errorStatus = formatErrorStatus(status);
  // A token may expire during the sweep (RFC 6749 section 5.1).
  const unauthorizedReason = kind === 'unauthorized' ? formatUnauthorizedReason(errorStatus) : undefined;
  return blocked ?? unauthorizedReason ?? explainInconclusive(kind, errorStatus);
}

function createFailedLine(lineNumber: number, reason: string, observations: Observation[]): SweptLine {
  const failedRanges = [{ from: lineNumber, to: lineNumber, reason }];
  return { number: lineNumber, pages: 1, lastReceived: lineNumber, observations, failedRanges };
}

function createArguments(
  { parameter, variable, argumentBuilders }: IdentifierFile,
  { identifier, lineNumber }: IdentifierLine,
): Arguments {
  const argument: Argument = {
    value: identifier,
    label: `{${variable}, line ${lineNumber}}`,
    shell: buildIdentifierLineExpression(variable, lineNumber),
    configured: true,
  };
  const buildArguments = argumentBuilders[variable];
  return buildArguments ? buildArguments(argument) : { [parameter.name]: argument };
}
