import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { markdownName, markdownTable, markdownText } from '../reports/markdown.ts';
import type { Contract, Schema } from '../schemas/contract/contract.ts';
import { type Requirement, requirementsOf } from '../schemas/contract/requirements.ts';
import { counted } from '../schemas/counted.ts';
import type { Target } from '../src/client/target.ts';
import { judgeTraffic } from '../src/run/judge-traffic.ts';
import type { RequirementResult } from '../src/verdict/evaluate.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { RunResults } from '../src/verdict/results.ts';
import type { Verdict } from '../src/verdict/verdicts.ts';

/** What a change of the contract means for its requirements. */
interface ContractChanges {
  added: Requirement[];
  removed: Requirement[];
  /** What each was, and what it is. */
  changed: { address: string; says: string[] }[];
}

/** Compares the requirements of two contracts, address by address. Pure. */
export function compareContracts(before: Contract, now: Contract): ContractChanges {
  const [old, own] = [requirementsOf(before), requirementsOf(now)];
  const twinOf = (one: Requirement, all: Requirement[]) => all.find(({ address }) => address === one.address);
  const changed = own.map((one) => ({
    address: one.address,
    says: changesOf(twinOf(one, old) ?? one, one),
  }));
  return {
    added: own.filter((one) => !twinOf(one, old)),
    removed: old.filter((one) => !twinOf(one, own)),
    changed: changed.filter(({ says }) => says.length > 0),
  };
}

/** In what a requirement demands something else, in words: level, sentence, and what its sentence does not tell. */
function changesOf(before: Requirement, now: Requirement): string[] {
  const level = before.level === now.level ? [] : [`it was a ${before.level}, and is a ${now.level}`];
  const sentence =
    before.statement === now.statement ? [] : [`it was: ${before.statement}; it is: ${now.statement}`];
  const [old, own] = [before, now].map(demandOf) as [Demand, Demand];
  const names = [...new Set([...Object.keys(old), ...Object.keys(own)])];
  const keywords = names
    .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(own[name]))
    .map((name) => `\`${name}\` was ${textOf(old[name])}, and is ${textOf(own[name])}`);
  return [...level, ...sentence, ...keywords];
}

type Demand = Readonly<Record<string, unknown>>;

function demandOf(requirement: Requirement): Demand {
  if (requirement.kind === 'node') return keywordsOf(requirement.node.schema);
  if (requirement.kind === 'occurring-values')
    return { values: requirement.node.schema['x-values-that-occur'] };
  if (requirement.kind === 'rule') return { check: requirement.rule.check };
  if (requirement.kind !== 'parameter') return {};
  const { required = false, schema } = requirement.parameter;
  return { required, ...keywordsOf(schema) };
}

/** Keywords that describe, or that other places of the contract judge. */
const described = /^(title|description|default|examples?|properties|items|required|deprecated|x-.*)$/;

const keywordsOf = (schema: Schema): Demand =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !described.test(name)));

const textOf = (value: unknown) =>
  value === undefined ? 'open' : `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;

/** What recorded traffic shows of a change: answers that one of the contracts judges, and sources that could not be read to their end. */
interface Replayed {
  answers: number;
  verdicts: [address: string, before: string, now: string][];
  broken: string[];
}

/**
 * Judges recorded answers by two contracts, as a run with `TRAFFIC` does.
 * @param settings those of such a run
 * @throws an error for people when no answer of any source can be judged.
 */
export async function replay(
  [before, now]: readonly [Contract, Contract],
  sources: string[],
  settings: Target,
): Promise<Replayed> {
  const target = { ...settings, traffic: sources };
  const earlier = await judgeTraffic(before, target);
  const results = await judgeTraffic(now, target);
  const { broken, skipped } = results.traffic;
  const answers = Math.max(earlier.traffic.judged, results.traffic.judged);
  const reasons = [...broken, ...Object.entries(skipped).map(([reason, number]) => `${number} ${reason}`)];
  if (answers === 0) throw new Error(`no answer that --judge names can be judged: ${reasons.join(', ')}`);
  const textsOf = (contract: Contract, found: RunResults) =>
    new Map(
      evaluate(contract, target, found).requirementResults.map((one) => [one.address, verdictText(one)]),
    );
  return { answers, broken, verdicts: changedIn(textsOf(before, earlier), textsOf(now, results)) };
}

const verdictText = ({ verdict, affected, requests }: RequirementResult): string =>
  affected ? `${verdict} in ${affected} of ${requests} answers` : verdict;

/** Of a requirement that only one of the contracts has. */
const unjudged: Verdict = 'not exercised';

/** Where the verdicts differ, and not only in how many answers show them. */
const changedIn = (before: Map<string, string>, now: Map<string, string>): Replayed['verdicts'] =>
  [...new Set([...before.keys(), ...now.keys()])]
    .map((one) => [one, before.get(one) ?? unjudged, now.get(one) ?? unjudged] as [string, string, string])
    .filter(([, was, is]) => was.split(' in ')[0] !== is.split(' in ')[0]);

/** What `redocly diff` says of two versions of `openapi.yaml`. */
export function documentChanges(before: string, now: string): string[] {
  if (before === now) return [];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'contract-diff-'));
  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  try {
    const config = write('redocly.yaml', 'extends: [diff-recommended]\n');
    const files = [write('before.yaml', before), write('now.yaml', now)];
    const args = ['diff', ...files, `--config=${config}`, '--format=json', '--fail-on=none'];
    const cli = 'node_modules/@redocly/cli/bin/cli.js';
    const options = { encoding: 'utf8', maxBuffer: Number.POSITIVE_INFINITY } as const;
    const { stdout } = spawnSync(process.execPath, [cli, ...args], options);
    const { changes }: { changes: Record<string, unknown>[] } = JSON.parse(stdout);
    return changes.map(({ impact, kind, path: pointer, property }) => {
      const place = [pointer, property].filter((part) => typeof part === 'string').join(' · ');
      return `${impact}: ${kind} \`${place}\``;
    });
  } catch {
    return ['It could not be compared: `npx redocly diff` says why, once `npm ci` has installed it.'];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** All that is said of a change of the contract. */
interface ContractDiff extends ContractChanges {
  ref: string;
  /** Lines on the document. */
  document: string[];
  /** Undefined where no traffic was given. */
  replayed: Replayed | undefined;
}

/** What a change of the contract means, as Markdown for a pull request. */
export function diffMarkdown(diff: ContractDiff): string {
  const { ref, added, removed, changed } = diff;
  const item = ({ address, level, statement }: Requirement) => `\`${address}\` (${level}): ${statement}`;
  return [
    `## What this change of the contract means, against ${markdownName(ref)}`,
    '',
    ...(added.length + removed.length + changed.length > 0 ? [] : ['No requirement has changed.', '']),
    ...list('New requirements', added.map(item)),
    ...list('Requirements that are gone', removed.map(item)),
    ...list(
      'Changed requirements',
      changed.map(({ address, says }) => `\`${address}\`: ${says.join('; ')}`),
    ),
    ...replayLines(diff),
    ...list('The document, as redocly diff rates it for clients', diff.document),
  ].join('\n');
}

const list = (title: string, items: string[]) =>
  items.length > 0
    ? [`### ${title} (${items.length})`, '', ...items.map((item) => `- ${markdownText(item)}`), '']
    : [];

function replayLines({ replayed }: ContractDiff): string[] {
  if (!replayed) return [];
  const { answers, verdicts, broken } = replayed;
  const rows = verdicts.map(([address, before, now]) => [markdownName(address), before, now]);
  return [
    `### Verdicts that change on the same ${counted(answers, 'recorded answer')} (${verdicts.length})`,
    '',
    ...broken.flatMap((sentence) => [`- ${markdownText(sentence)}`, '']),
    ...(rows.length > 0
      ? markdownTable(['requirement', 'before', 'now'], rows)
      : ['No verdict changes.', '']),
  ];
}
