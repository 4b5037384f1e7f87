import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';
import { createRandom } from '../../src/sweep/paging.ts';
import { copyProject } from './harness/project-copy.ts';

/*
 * `npm run dev:mutate -- --seed N --count N` makes small mutations in all folders of the product, chosen by the seed, and prints
 * those that no test of the suite finds. Each mutation is made alone, in a copy of the project.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));

interface Mutation {
  kind: 'operator' | 'call' | 'constant' | 'early return';
  file: string;
  start: number;
  end: number;
  newText: string;
}

interface Ast {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const replacedOperators: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+': '-',
  '-': '+',
  '||=': '=',
  '+=': '-=',
};

/** Methods whose call a mutation may remove: `names.sort()` becomes `names`. */
const removableMethods = /^(filter|slice|sort|toSorted|reverse|toReversed|trim|trimEnd|toLowerCase|flat)$/;

type Replacement = Omit<Mutation, 'file'>;

type Mutator = (node: Ast, fileText: string) => Replacement | undefined;

const swapOperator: Mutator = ({ type, operator: operatorField, left, right }, fileText) => {
  const operator = String(operatorField);
  const newOperator = replacedOperators[operator];
  const isExpressionWithOperator = /^(Binary|Logical|Assignment)Expression$/.test(type);
  if (!newOperator || !isExpressionWithOperator || !left || !right) return undefined;
  const { end: endOfLeftOperand } = left as Ast;
  const start = fileText.indexOf(operator, endOfLeftOperand);
  return { kind: 'operator', start, end: start + operator.length, newText: newOperator };
};

const removeCallStatement: Mutator = ({ type, start, end }, fileText) => {
  if (type !== 'ExpressionStatement') return undefined;
  // Matches the beginning of `print(text)` or `await this.#store.close()`.
  const isCall = /^(await )?[\w.#?]+\(/.test(fileText.slice(start, end));
  return isCall ? { kind: 'call', start, end, newText: ';' } : undefined;
};

const removeMethodCall: Mutator = ({ type, end, callee }) => {
  if (type !== 'CallExpression') return undefined;
  const { type: calleeType, object, property } = callee as Ast;
  if (calleeType !== 'MemberExpression') return undefined;
  const { name: methodName } = property as { name?: string };
  if (!removableMethods.test(String(methodName))) return undefined;
  const { end: endOfObject } = object as Ast;
  return { kind: 'call', start: endOfObject, end, newText: '' };
};

const disableEarlyReturn: Mutator = ({ type, end, test, alternate: elseBranch }, fileText) => {
  if (type !== 'IfStatement' || elseBranch) return undefined;
  const condition = test as Ast;
  const guardedText = fileText.slice(condition.end, end);
  if (!/\b(return|throw|continue)\b/.test(guardedText)) return undefined;
  return { kind: 'early return', start: condition.start, end: condition.end, newText: 'false' };
};

const negateCondition: Mutator = ({ type, test }, fileText) => {
  if (type !== 'ConditionalExpression') return undefined;
  const { start, end } = test as Ast;
  return { kind: 'operator', start, end, newText: `!(${fileText.slice(start, end)})` };
};

const changeConstant: Mutator = ({ type, start, end, value }) => {
  if (type !== 'Literal') return undefined;
  if (typeof value === 'number') return { kind: 'constant', start, end, newText: String(value + 1) };
  if (typeof value === 'boolean') return { kind: 'constant', start, end, newText: String(!value) };
  return undefined;
};

const mutators = [
  swapOperator,
  removeCallStatement,
  removeMethodCall,
  disableEarlyReturn,
  negateCondition,
  changeConstant,
];

function listNodes(value: unknown): Ast[] {
  if (Array.isArray(value)) return value.flatMap(listNodes);
  if (typeof value !== 'object' || value === null) return [];
  const node = value as Partial<Ast>;
  if (/^TS(Type|Interface|Enum|Literal)/.test(node.type ?? '')) return [];
  const descendants = Object.values(node).flatMap(listNodes);
  // Objects without `type`, such as regular expressions, are no nodes.
  return node.type ? [node as Ast, ...descendants] : descendants;
}

function listMutations(file: string): Mutation[] {
  const fileText = readFileSync(path.join(root, file), 'utf8');
  const nodes = listNodes(parseSync(file, fileText).program);
  const replacements = nodes.flatMap((node) => mutators.flatMap((mutate) => mutate(node, fileText) ?? []));
  return replacements.map((replacement) => ({ ...replacement, file }));
}

function listSourcesByFolder(): string[][] {
  const testOrOutput = /^self\/|\.spec\.ts$|^out\//;
  const listSources = (folder: string) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.m?ts$/.test(name) && !testOrOutput.test(name))
      .map((name) => `${folder}/${name}`);
  const sourceFolders = readdirSync(path.join(root, 'src')).map((name) => `src/${name}`);
  return ['schemas', ...sourceFolders, 'tests', 'reports', 'commands', 'mock'].map(listSources);
}

function* drawMutations(seed: number): Generator<Mutation> {
  const random = createRandom(seed);
  const pickRandom = <T>(choices: T[]): T | undefined => choices[Math.floor(random() * choices.length)];
  const mutationsByFolder = listSourcesByFolder().map((files) => files.flatMap(listMutations));
  const kinds = ['operator', 'call', 'constant', 'early return'];
  for (let round = 0; ; round += 1) {
    // The folders take turns, so that a small folder gets as many mutations as a large one.
    const mutations = mutationsByFolder[round % mutationsByFolder.length] ?? [];
    const kind = pickRandom(kinds);
    const mutationsOfKind = mutations.filter((candidate) => candidate.kind === kind);
    const mutation = pickRandom(mutationsOfKind) ?? pickRandom(mutations);
    if (mutation) yield mutation;
  }
}

function copyRepository(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mutations-'));
  // Some tests need a Git repository. `copyProject` then adds the changes that are not committed.
  spawnSync('git', ['clone', '--quiet', '--shared', root, folder]);
  return copyProject(folder);
}

function findFailure(folder: string, specs: string[]): string | undefined {
  const cli = path.join(folder, 'node_modules/@playwright/test/cli.js');
  const testArgs = ['test', '--config', 'tests/self', '-x', '--reporter=line', ...specs];
  // `timeout` also kills the workers. A worker in an endless loop reacts to no signal but KILL.
  const timeoutArgs = ['-s', 'KILL', '900', process.execPath, cli, ...testArgs];
  const { status, stdout } = spawnSync('timeout', timeoutArgs, {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return undefined;
  return parseFailure(stdout) ?? `ended with ${status ?? 'a time-out'}`;
}

function parseFailure(output: string): string | undefined {
  // Playwright prints a line such as `  1) [parts] › client/token.spec.ts:12:1 › title ──────`.
  const titleOrError = /(?<=^ +1\) ).*$|^\w*Error: .*$/m;
  const [failure] = titleOrError.exec(output) ?? [];
  const projectName = /^\[[^\]]*\] › /;
  const closingLine = / ─+$/;
  return failure?.replace(projectName, '').replace(closingLine, '');
}

/** Test folders to run first after a mutation, keyed by mutated folder. */
const testFoldersBySource: Record<string, string[]> = {
  schemas: ['judging', 'contract', 'proof'],
  redact: ['redaction'],
  operations: ['verdict', 'proof'],
  relations: ['relations', 'proof'],
  run: ['runs', 'configuration'],
  tests: ['runs'],
};

function listLikelySpecs(file: string): string[] {
  const [sourceFolder = ''] = file.replace(/^src\//, '').split('/');
  const testFolders = testFoldersBySource[sourceFolder] ?? [sourceFolder];
  return testFolders.map((name) => `self/${name}/`);
}

function judgeMutation(
  folder: string,
  mutation: Mutation,
): 'does not compile' | { failed: string | undefined } {
  const file = path.join(folder, mutation.file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, mutation.start) + mutation.newText + text.slice(mutation.end));
  try {
    if (!compiles(folder)) return 'does not compile';
    // Runs the tests that most likely fail first, because the run ends at the first failure.
    const failureOfLikelySpecs = findFailure(folder, listLikelySpecs(mutation.file));
    // Playwright runs all specs if no spec is named.
    return { failed: failureOfLikelySpecs ?? findFailure(folder, []) };
  } finally {
    writeFileSync(file, text);
  }
}

const compiles = (folder: string) =>
  spawnSync('npx', ['tsc', '--project', '.'], { cwd: folder }).status === 0;

const shorten = (text: string) => text.replace(/\s+/g, ' ').slice(0, 80);

function describeMutation({ kind, file, start, end, newText }: Mutation): string {
  const text = readFileSync(path.join(root, file), 'utf8');
  const line = text.slice(0, start).split('\n').length;
  const oldText = text.slice(start, end);
  return `${file}:${line} (${kind}) ${shorten(oldText)} → ${shorten(newText) || 'nothing'}`;
}

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '10' } },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const count = Number(values.count);
if (!Number.isInteger(count) || count < 1) throw new Error('--count must be a whole number of at least 1');

const folder = copyRepository();
try {
  tryMutations(folder, Number(values.seed));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function tryMutations(copy: string, seed: number): void {
  const failureWithoutMutation = findFailure(copy, []);
  if (failureWithoutMutation) throw new Error(`without a mutation, this fails: ${failureWithoutMutation}`);
  const survivors: string[] = [];
  let triedCount = 0;
  for (const mutation of drawMutations(seed)) {
    const result = judgeMutation(copy, mutation);
    if (result === 'does not compile') continue;
    triedCount += 1;
    const text = `${triedCount}. ${describeMutation(mutation)}`;
    if (result.failed === undefined) survivors.push(text);
    print(`${text}\n   ${result.failed === undefined ? 'SURVIVED' : `red: ${result.failed}`}`);
    if (triedCount === count) break;
  }
  print([`\n${count - survivors.length} of ${count} mutations are red`, ...survivors].join('\n'));
}
