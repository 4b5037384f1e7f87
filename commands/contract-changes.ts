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
import { evaluate } from '../src/verdict/evaluate.ts';
import type { RequirementResult, RunResults } from '../src/verdict/results.ts';
import type { Verdict } from '../src/verdict/verdicts.ts';

/** Differences between the requirements of two versions of the contract. */
interface ContractChanges {
  added: Requirement[];
  removed: Requirement[];
  /** Requirements that both versions have but with differences, each a clause such as "was MUST, is now SHOULD". */
  changed: { address: string; differences: string[] }[];
}

/** Compares the requirements of two versions of the contract. A requirement is recognized by its address. */
export function compareContracts(earlierContract: Contract, laterContract: Contract): ContractChanges {
  const [earlierRequirements, laterRequirements] = [
    listRequirements(earlierContract),
    listRequirements(laterContract),
  ];
  const findCounterpart = (requirement: Requirement, requirements: Requirement[]) =>
    requirements.find(({ address }) => address === requirement.address);
  const comparisons = laterRequirements.map((requirement) => ({
    address: requirement.address,
    // A new requirement is compared with itself, and so has no differences: it is listed as added, not as changed.
    differences: describeChanges(
      findCounterpart(requirement, earlierRequirements) ?? requirement,
      requirement,
    ),
  }));
  return {
    added: laterRequirements.filter((requirement) => !findCounterpart(requirement, earlierRequirements)),
    removed: earlierRequirements.filter((requirement) => !findCounterpart(requirement, laterRequirements)),
    changed: comparisons.filter(({ differences }) => differences.length > 0),
  };
}

/** Lists a clause for each difference of a requirement: level, statement, and each keyword such as `maxLength`; empty for none. */
function describeChanges(earlier: Requirement, later: Requirement): string[] {
  const level = earlier.level === later.level ? [] : [`was ${earlier.level}, is now ${later.level}`];
  const sentence =
    earlier.statement === later.statement ? [] : [`was: ${earlier.statement}; is now: ${later.statement}`];
  const [earlierDemand, laterDemand] = [earlier, later].map(getDemand) as [Demand, Demand];
  const names = [...new Set([...Object.keys(earlierDemand), ...Object.keys(laterDemand)])];
  const keywords = names
    .filter((name) => JSON.stringify(earlierDemand[name]) !== JSON.stringify(laterDemand[name]))
    .map(
      (name) =>
        `\`${name}\` was ${formatValue(earlierDemand[name])}, and is ${formatValue(laterDemand[name])}`,
    );
  return [...level, ...sentence, ...keywords];
}

/** What a requirement demands, keyed by JSON Schema keyword or another name: `{ type: 'string', maxLength: 36 }`. */
type Demand = Readonly<Record<string, unknown>>;

/** Returns what a requirement demands: schema keywords, `values` or `check`; `{}` if its statement says everything, as of HTTP. */
function getDemand(requirement: Requirement): Demand {
  if (requirement.kind === 'node') return selectKeywords(requirement.node.schema);
  if (requirement.kind === 'occurring-values')
    return { values: requirement.node.schema['x-values-that-occur'] };
  if (requirement.kind === 'rule') return { check: requirement.rule.check };
  if (requirement.kind !== 'parameter') return {};
  const { required = false, schema } = requirement.parameter;
  return { required, ...selectKeywords(schema) };
}

/** Names of schema keywords that demand nothing (`title`), or whose demand is a requirement of its own (`properties`). */
const descriptivePattern =
  /^(title|description|default|examples?|properties|items|required|deprecated|x-.*)$/;

/** Selects the keywords of a schema that demand something of the value itself, such as `type`; leaves out those about its fields. */
const selectKeywords = (schema: Schema): Demand =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => !descriptivePattern.test(name)));

/** Formats the value of a schema keyword as code: a string as it is, else as JSON; `open` if the schema does not have the keyword. */
function formatValue(value: unknown): string {
  if (value === undefined) return 'open';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** Result of judging recorded traffic by two versions of the contract. */
interface ReplayResult {
  /** Number of recorded responses that could be judged, by the version of the contract that can judge more of them. */
  answers: number;
  /** Requirements whose verdict differs, with the earlier and the later verdict, such as `violation in 2 of 9 answers`. */
  verdicts: [address: string, before: string, now: string][];
  /** Sentences about files of recorded traffic that could not be read to their end. */
  broken: string[];
}

/**
 * Judges recorded responses by two versions of the contract, each as a run with `TRAFFIC` does, and compares the verdicts.
 * @param sources files of recorded traffic
 * @param settings settings of a run with `TRAFFIC`, whose files `sources` replaces
 * @throws an `Error` with one sentence if neither contract can judge any response
 */
export async function replayTraffic(
  [earlierContract, laterContract]: readonly [Contract, Contract],
  sources: string[],
  settings: Target,
): Promise<ReplayResult> {
  const target = { ...settings, traffic: sources };
  const earlierResults = await judgeTraffic(earlierContract, target);
  const laterResults = await judgeTraffic(laterContract, target);
  const { broken, skipped } = laterResults.traffic;
  const answers = Math.max(earlierResults.traffic.judged, laterResults.traffic.judged);
  const reasons = [...broken, ...Object.entries(skipped).map(([reason, number]) => `${number} ${reason}`)];
  if (answers === 0) throw new Error(`no recorded response of --judge can be judged: ${reasons.join(', ')}`);
  const listVerdictTexts = (contract: Contract, results: RunResults) =>
    new Map(
      evaluate(contract, target, results).requirementResults.map((result) => [
        result.address,
        formatVerdict(result),
      ]),
    );
  return {
    answers,
    broken,
    verdicts: listChangedVerdicts(
      listVerdictTexts(earlierContract, earlierResults),
      listVerdictTexts(laterContract, laterResults),
    ),
  };
}

/** Formats a verdict with the number of affected responses, if there are any: `violation in 2 of 9 answers`. */
const formatVerdict = ({ verdict, affected, requests }: RequirementResult): string =>
  affected ? `${verdict} in ${affected} of ${requests} responses` : verdict;

/** Verdict that stands in for a missing one if only one version of the contract has the requirement. */
const unjudgedVerdict: Verdict = 'not exercised';

/** Lists the requirements whose verdict differs, with both texts. Leaves out those that differ only in the number of responses. */
const listChangedVerdicts = (
  earlierTexts: Map<string, string>,
  laterTexts: Map<string, string>,
): ReplayResult['verdicts'] =>
  [...new Set([...earlierTexts.keys(), ...laterTexts.keys()])]
    .map(
      (address) =>
        [
          address,
          earlierTexts.get(address) ?? unjudgedVerdict,
          laterTexts.get(address) ?? unjudgedVerdict,
        ] as [string, string, string],
    )
    // Texts such as `violation in 2 of 9 answers`, of which the verdict is the first part.
    .filter(([, was, is]) => was.split(' in ')[0] !== is.split(' in ')[0]);

/**
 * Compares two versions of `openapi.yaml` by `redocly diff`. Returns a line for each change, such as "breaking: … `…`"; `[]` if the texts
 * are equal; and a line that says how to find the reason if the comparison fails.
 */
export function compareDocuments(earlierText: string, laterText: string): string[] {
  if (earlierText === laterText) return [];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'contract-diff-'));
  const writeTemporaryFile = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  try {
    const config = writeTemporaryFile('redocly.yaml', 'extends: [diff-recommended]\n');
    const files = [writeTemporaryFile('before.yaml', earlierText), writeTemporaryFile('now.yaml', laterText)];
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

/** Change of the contract since a commit, with all that `npm run contract:diff` shows about it. */
interface ContractDiff extends ContractChanges {
  /** Commit, branch or tag whose contract is the earlier version. */
  ref: string;
  /** Lines about changes of `openapi.yaml`, as `redocly diff` rates them for clients. */
  document: string[];
  /** Verdicts that change for recorded traffic; undefined without `--judge`. */
  replayResult: ReplayResult | undefined;
}

/** Formats a change of the contract as Markdown for a pull request. */
export function formatContractDiff(diff: ContractDiff): string {
  const { ref, added, removed, changed } = diff;
  const formatRequirement = ({ address, level, statement }: Requirement) =>
    `\`${address}\` (${level}): ${statement}`;
  return [
    `## What this change of the contract means, against ${markdownName(ref)}`,
    '',
    ...(added.length + removed.length + changed.length > 0 ? [] : ['No requirement has changed.', '']),
    ...formatList('New requirements', added.map(formatRequirement)),
    ...formatList('Removed requirements', removed.map(formatRequirement)),
    ...formatList(
      'Changed requirements',
      changed.map(({ address, differences }) => `\`${address}\`: ${differences.join('; ')}`),
    ),
    ...formatReplay(diff),
    ...formatList('The document, as redocly diff rates it for clients', diff.document),
  ].join('\n');
}

/** Formats a Markdown section with a bullet list; no lines if the list is empty. */
const formatList = (title: string, items: string[]) =>
  items.length > 0
    ? [`### ${title} (${items.length})`, '', ...items.map((item) => `- ${markdownText(item)}`), '']
    : [];

/** Formats the changed verdicts as a Markdown section with a table; no lines if no traffic was judged. */
function formatReplay({ replayResult }: ContractDiff): string[] {
  if (!replayResult) return [];
  const { answers, verdicts, broken } = replayResult;
  const rows = verdicts.map(([address, before, now]) => [markdownName(address), before, now]);
  return [
    `### Verdicts that change on the same ${formatCount(answers, 'recorded response')} (${verdicts.length})`,
    '',
    ...broken.flatMap((sentence) => [`- ${markdownText(sentence)}`, '']),
    ...(rows.length > 0
      ? markdownTable(['requirement', 'before', 'now'], rows)
      : ['No verdict changes.', '']),
  ];
}
