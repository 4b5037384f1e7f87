import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { markdownName, markdownTable, markdownText } from '../reports/markdown.ts';
import type { Contract, Schema } from '../schemas/contract/contract.ts';
import { listRequirements, type Requirement } from '../schemas/contract/requirements.ts';
import { formatCount } from '../schemas/counted.ts';
import type { Target } from '../src/client/target.ts';
import { judgeTraffic } from '../src/run/judge-traffic.ts';
import type { Traffic } from '../src/traffic/traffic-summary.ts';
import { evaluate } from '../src/verdict/evaluate.ts';
import type { RequirementResult } from '../src/verdict/results.ts';
import type { Verdict } from '../src/verdict/verdicts.ts';

interface ContractChanges {
  added: Requirement[];
  removed: Requirement[];
  /** Changed requirements. An example of a difference is "was MUST, is now SHOULD". */
  changed: { address: string; differences: string[] }[];
}

export function compareContracts(earlierContract: Contract, laterContract: Contract): ContractChanges {
  const earlierByAddress = indexRequirements(earlierContract);
  const laterByAddress = indexRequirements(laterContract);
  const changed: ContractChanges['changed'] = [];
  for (const [address, later] of laterByAddress) {
    const earlier = earlierByAddress.get(address);
    const differences = earlier ? describeChanges(earlier, later) : [];
    if (differences.length > 0) changed.push({ address, differences });
  }
  return {
    added: [...laterByAddress.values()].filter(({ address }) => !earlierByAddress.has(address)),
    removed: [...earlierByAddress.values()].filter(({ address }) => !laterByAddress.has(address)),
    changed,
  };
}

const indexRequirements = (contract: Contract): Map<string, Requirement> =>
  new Map(listRequirements(contract).map((requirement) => [requirement.address, requirement]));

function describeChanges(earlier: Requirement, later: Requirement): string[] {
  const changes: string[] = [];
  if (earlier.level !== later.level) changes.push(`was ${earlier.level}, is now ${later.level}`);
  if (earlier.statement !== later.statement)
    changes.push(`was: ${earlier.statement}; is now: ${later.statement}`);
  changes.push(...describeChangedConstraints(getConstraints(earlier), getConstraints(later)));
  return changes;
}

/** Constraints of a requirement, such as the schema keywords `{ type: 'string', maxLength: 36 }`. */
type Constraints = Readonly<Record<string, unknown>>;

function describeChangedConstraints(earlier: Constraints, later: Constraints): string[] {
  const changes: string[] = [];
  const keywordsOfBoth = Object.keys({ ...earlier, ...later });
  for (const keyword of keywordsOfBoth) {
    const isEqual = JSON.stringify(earlier[keyword]) === JSON.stringify(later[keyword]);
    if (isEqual) continue;
    const earlierText = formatConstraint(earlier[keyword]);
    const laterText = formatConstraint(later[keyword]);
    changes.push(`\`${keyword}\` was ${earlierText}, and is ${laterText}`);
  }
  return changes;
}

function getConstraints(requirement: Requirement): Constraints {
  switch (requirement.kind) {
    case 'node':
      return selectKeywords(requirement.node.schema);
    case 'occurring-values':
      return { values: requirement.node.schema['x-values-that-occur'] };
    case 'rule':
      return { check: requirement.rule.check };
    case 'parameter': {
      const { required = false, schema } = requirement.parameter;
      return { required, ...selectKeywords(schema) };
    }
    default:
      // The requirements of HTTP, such as "responds with HTTP 200", differ only in their statement.
      return {};
  }
}

const uncomparedKeywords =
  // A keyword such as `title` constrains nothing. The content of `properties`, for example, belongs to other requirements.
  /^(title|description|default|examples?|properties|items|required|deprecated|x-.*)$/;

const selectKeywords = (schema: Schema): Constraints =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !uncomparedKeywords.test(name)));

function formatConstraint(value: unknown): string {
  if (value === undefined) return 'open';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `\`${text}\``;
}

interface ComparedVerdicts {
  judgedResponses: number;
  /** Verdicts that differ: `['getCard/code', 'pass', 'violation in 1 of 3 responses']`. */
  verdicts: [address: string, earlier: string, later: string][];
  /** Messages about recordings that could not be read completely. */
  broken: string[];
}

/**
 * Judges recorded responses by two versions of the contract, and compares the verdicts.
 * @param sources paths of recordings, such as `session.har`
 * @throws an `Error` if neither version can judge any recorded response
 */
export async function compareVerdicts(
  [earlierContract, laterContract]: readonly [Contract, Contract],
  sources: string[],
  settings: Omit<Target, 'traffic'>,
): Promise<ComparedVerdicts> {
  const target = { ...settings, traffic: sources };
  const earlierJudgement = await judgeTraffic(earlierContract, target);
  const laterJudgement = await judgeTraffic(laterContract, target);
  // One version may judge fewer responses, for example if it lacks an operation.
  const judgedResponses = Math.max(earlierJudgement.traffic.judged, laterJudgement.traffic.judged);
  if (judgedResponses === 0) throw createNothingJudgedError(laterJudgement.traffic);
  const earlierResults = evaluate(earlierContract, target, earlierJudgement).requirementResults;
  const laterResults = evaluate(laterContract, target, laterJudgement).requirementResults;
  return {
    judgedResponses,
    // The earlier judgement read the same recordings, so it has the same messages.
    broken: laterJudgement.traffic.broken,
    verdicts: listChangedVerdicts(earlierResults, laterResults),
  };
}

function createNothingJudgedError({ broken, skipped }: Traffic): Error {
  const skipReasons = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  const reasons = [...broken, ...skipReasons].join(', ');
  return new Error(`no recorded response of --judge can be judged: ${reasons}`);
}

const verdictIfRequirementIsMissing: Verdict = 'not exercised';

function formatVerdict(result: RequirementResult | undefined): string {
  if (!result) return verdictIfRequirementIsMissing;
  const { verdict, affected: affectedResponses, requests: judgedResponses } = result;
  return affectedResponses ? `${verdict} in ${affectedResponses} of ${judgedResponses} responses` : verdict;
}

function listChangedVerdicts(
  earlierResults: RequirementResult[],
  laterResults: RequirementResult[],
): ComparedVerdicts['verdicts'] {
  const addresses = new Set([...earlierResults, ...laterResults].map(({ address }) => address));
  const changedVerdicts: ComparedVerdicts['verdicts'] = [];
  for (const address of addresses) {
    const earlier = earlierResults.find((result) => result.address === address);
    const later = laterResults.find((result) => result.address === address);
    const earlierVerdict = earlier?.verdict ?? verdictIfRequirementIsMissing;
    const laterVerdict = later?.verdict ?? verdictIfRequirementIsMissing;
    if (earlierVerdict !== laterVerdict)
      changedVerdicts.push([address, formatVerdict(earlier), formatVerdict(later)]);
  }
  return changedVerdicts;
}

/**
 * Lists the differences between two OpenAPI documents, such as "major: modified `#/paths/…/parameters/0 · name`".
 * If `redocly diff` fails, the only item says that the documents could not be compared.
 */
export function compareDocuments(earlierText: string, laterText: string): string[] {
  if (earlierText === laterText) return [];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'contract-diff-'));
  try {
    const changes = runRedoclyDiff(folder, earlierText, laterText);
    return changes.map(({ impact, kind, path: pointer, property }) => {
      const location = [pointer, property].filter((part) => typeof part === 'string').join(' · ');
      return `${impact}: ${kind} \`${location}\``;
    });
  } catch {
    return ['It could not be compared: `npx redocly diff` says why, once `npm ci` has installed it.'];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runRedoclyDiff(folder: string, earlierText: string, laterText: string): Record<string, unknown>[] {
  const writeTemporaryFile = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  const config = writeTemporaryFile('redocly.yaml', 'extends: [diff-recommended]\n');
  const files = [writeTemporaryFile('before.yaml', earlierText), writeTemporaryFile('now.yaml', laterText)];
  const args = ['diff', ...files, `--config=${config}`, '--format=json', '--fail-on=none'];
  const cli = 'node_modules/@redocly/cli/bin/cli.js';
  const options = { encoding: 'utf8', maxBuffer: Number.POSITIVE_INFINITY } as const;
  const { stdout } = spawnSync(process.execPath, [cli, ...args], options);
  return JSON.parse(stdout).changes;
}

interface ContractDiff extends ContractChanges {
  /** Git ref of the earlier version, such as `main`. */
  ref: string;
  document: string[];
  /** Undefined without the option `--judge`. */
  verdictComparison: ComparedVerdicts | undefined;
}

export function formatContractDiff(diff: ContractDiff): string {
  const { ref, added, removed, changed } = diff;
  const hasChanges = added.length + removed.length + changed.length > 0;
  const formatRequirement = ({ address, level, statement }: Requirement) =>
    `\`${address}\` (${level}): ${statement}`;
  return [
    `## What this change of the contract means, against ${markdownName(ref)}`,
    '',
    ...(hasChanges ? [] : ['No requirement has changed.', '']),
    ...formatList('New requirements', added.map(formatRequirement)),
    ...formatList('Removed requirements', removed.map(formatRequirement)),
    ...formatList(
      'Changed requirements',
      changed.map(({ address, differences }) => `\`${address}\`: ${differences.join('; ')}`),
    ),
    ...formatVerdictComparison(diff),
    ...formatList('The document, as redocly diff rates it for clients', diff.document),
  ].join('\n');
}

const formatList = (title: string, items: string[]) =>
  items.length > 0
    ? [`### ${title} (${items.length})`, '', ...items.map((item) => `- ${markdownText(item)}`), '']
    : [];

function formatVerdictComparison({ verdictComparison }: ContractDiff): string[] {
  if (!verdictComparison) return [];
  const { judgedResponses, verdicts, broken: readingProblems } = verdictComparison;
  const rows = verdicts.map(([address, before, now]) => [markdownName(address), before, now]);
  return [
    `### Verdicts that change on the same ${formatCount(judgedResponses, 'recorded response')} (${verdicts.length})`,
    '',
    ...readingProblems.flatMap((sentence) => [`- ${markdownText(sentence)}`, '']),
    ...(rows.length > 0
      ? markdownTable(['requirement', 'before', 'now'], rows)
      : ['No verdict changes.', '']),
  ];
}
