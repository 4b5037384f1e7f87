import { existsSync, statSync } from 'node:fs';
import path from 'node:path';
import { globSync } from 'tinyglobby';
import type { Conformance } from '../../reports/conformance.ts';
import { readConformance } from '../../reports/read-conformance.ts';
import {
  buildContract,
  type Contract,
  ContractError,
  readSpecTexts,
  type SpecTexts,
} from '../../schemas/contract/contract.ts';
import { readLedger } from '../../schemas/contract/ledger.ts';
import type { Target } from '../../tests/configuration/target.ts';
import { standardInput } from '../../tests/traffic/source-name.ts';
import { CommandError } from '../command-error.ts';
import { type DocumentChange, documentChanges } from './document.ts';
import { textsAt } from './earlier-texts.ts';
import { ledgerMisfits, type Misfit } from './ledger-fit.ts';
import { type RecordedMisfit, recordedMisfits } from './recorded-fit.ts';
import { type ChangedVerdict, changedVerdicts, type Replay, replay } from './replay.ts';
import { compareContracts, type RequirementChanges } from './requirements.ts';

/** What is compared. */
export interface Order {
  /** Folder of the contract, in a work tree of Git. */
  folder: string;
  /** Commit, branch or tag. */
  ref: string;
  /** Recorded traffic, and folders that hold some or the reports of a run. */
  judge: string[];
  /** Settings of a run with recorded traffic; files of recorded answers lie beside its own. */
  target: Target;
}

/** What a change of the contract means. */
export interface ContractDiff extends RequirementChanges {
  ref: string;
  document: DocumentChange[] | undefined;
  ledger: Misfit[];
  recorded: RecordedMisfit[];
  /** Requirements of which the same answers say something else now; undefined where no traffic was given. */
  replayed: Replayed | undefined;
  /** A run whose verdicts stand beside the changes. */
  run: Conformance | undefined;
}

/** What recorded traffic shows of the change. */
interface Replayed extends Pick<Replay, 'answers' | 'broken'> {
  verdicts: ChangedVerdict[];
}

/** Compares the contract with that of a commit. @throws {CommandError} where one of them cannot be read. */
export async function compareWith({ folder, ref, judge, target }: Order): Promise<ContractDiff> {
  const [oldTexts, texts] = [textsAt(folder, ref), readSpecTexts(folder)];
  const before = contractOf(oldTexts, ` at ${ref}`);
  const now = contractOf(texts, '');
  const changes = compareContracts(before, now);
  const names = new Map(changes.renamed.map((one) => [one.before, one.now]));
  const sources = judge.flatMap(trafficIn);
  const replayed = sources.length > 0 ? await replay(before, now, sources, target) : undefined;
  return {
    ...changes,
    ref,
    document: documentChanges(oldTexts['openapi.yaml'], texts['openapi.yaml']),
    ledger: ledgerMisfits(texts['ledger.yaml'], now),
    recorded: recordedMisfits(target.recordFile, now.questions),
    replayed: replayed && { ...replayed, verdicts: changedVerdicts(replayed, names) },
    run: judge.map(runIn).find((run) => run !== undefined),
  };
}

/** A contract with those entries of its ledger that it has, so that one that does not fit does not hide all else. */
function contractOf(texts: SpecTexts, where: string): Contract {
  try {
    const contract = buildContract({ ...texts, 'ledger.yaml': '' });
    return { ...contract, ledger: entriesOf(texts['ledger.yaml'], contract) };
  } catch (error) {
    if (error instanceof ContractError)
      throw new CommandError(`the contract${where} has a mistake: ${error.message}`);
    throw error;
  }
}

function entriesOf(text: string, contract: Contract): Contract['ledger'] {
  try {
    return readLedger(text, contract);
  } catch {
    return [];
  }
}

const isFolder = (source: string) => statSync(source, { throwIfNoEntry: false })?.isDirectory() ?? false;
const reportIn = (folder: string) => path.join(folder, 'conformance.json');

/** Recorded traffic that a source stands for; of a folder, what lies in it. @throws {CommandError} when it is not there. */
function trafficIn(source: string): string[] {
  if (source === standardInput) return [source];
  if (!isFolder(source)) {
    if (!existsSync(source)) throw new CommandError(`--judge names ${source}, which is not there`);
    return path.basename(source) === 'conformance.json' ? [] : [source];
  }
  return existsSync(reportIn(source)) ? [] : recordingsIn(source);
}

function recordingsIn(folder: string): string[] {
  const names = globSync('**/*.{har,zip,jsonl,ndjson}', { cwd: folder, expandDirectories: false });
  if (names.length > 0) return names.sort().map((name) => path.join(folder, name));
  throw new CommandError(
    `--judge names ${folder}, in which is neither recorded traffic nor conformance.json`,
  );
}

function runIn(source: string): Conformance | undefined {
  const file = isFolder(source) ? reportIn(source) : source;
  return path.basename(file) === 'conformance.json' && existsSync(file) ? readConformance(file) : undefined;
}
