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
  /** Offset of the first replaced character in the file. */
  start: number;
  /** Offset after the last replaced character. */
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

/** Methods whose call can be removed without a type error, as in `names.sort()`. */
const removableMethods = /^(filter|slice|sort|toSorted|reverse|toReversed|trim|trimEnd|toLowerCase|flat)$/;

type Replacement = Omit<Mutation, 'file'>;

/** Replaces an operator by another one: `<` by `<=`. */
function swapOperator({ type, operator, left, right }: Ast, text: string): Replacement | undefined {
  const newOperator = replacedOperators[String(operator)];
  const hasOperands = /^(Binary|Logical|Assignment)Expression$/.test(type) && left && right;
  if (!newOperator || !hasOperands) return undefined;
  const start = text.indexOf(String(operator), (left as Ast).end);
  return { kind: 'operator', start, end: start + String(operator).length, newText: newOperator };
}

/** Removes a statement that consists of a call, such as `writeReports(run);`. */
function removeCallStatement({ type, start, end }: Ast, text: string): Replacement | undefined {
  const isCall = /^(await )?[\w.#?]+\(/.test(text.slice(start, end));
  return type === 'ExpressionStatement' && isCall ? { kind: 'call', start, end, newText: ';' } : undefined;
}

/** Removes the call of a method in `removableMethods`: `names.sort()` becomes `names`. */
function removeMethodCall({ type, end, callee }: Ast): Replacement | undefined {
  if (type !== 'CallExpression') return undefined;
  const { type: calleeType, object, property } = callee as Ast;
  if (calleeType !== 'MemberExpression') return undefined;
  const { name } = property as { name?: string };
  const isRemovable = removableMethods.test(String(name));
  return isRemovable ? { kind: 'call', start: (object as Ast).end, end, newText: '' } : undefined;
}

/** Replaces the condition of an `if` without `else` by `false`, if it guards a `return`, `throw` or `continue`. */
function disableEarlyReturn({ type, end, test, alternate }: Ast, text: string): Replacement | undefined {
  if (type !== 'IfStatement' || alternate) return undefined;
  const condition = test as Ast;
  const isEarlyReturn = /return|throw|continue/.test(text.slice(condition.end, end));
  return isEarlyReturn
    ? { kind: 'early return', start: condition.start, end: condition.end, newText: 'false' }
    : undefined;
}

function negateCondition({ type, test }: Ast, text: string): Replacement | undefined {
  if (type !== 'ConditionalExpression') return undefined;
  const { start, end } = test as Ast;
  return { kind: 'operator', start, end, newText: `!(${text.slice(start, end)})` };
}

function changeConstant({ type, start, end, value }: Ast): Replacement | undefined {
  if (type !== 'Literal') return undefined;
  if (typeof value === 'number') return { kind: 'constant', start, end, newText: String(value + 1) };
  if (typeof value === 'boolean') return { kind: 'constant', start, end, newText: String(!value) };
  return undefined;
}

const mutators: ((node: Ast, text: string) => Replacement | undefined)[] = [
  ...[swapOperator, removeCallStatement, removeMethodCall],
  ...[disableEarlyReturn, negateCondition, changeConstant],
];

/** Lists all nodes of a syntax tree, without those of TypeScript types, which have no effect at run time. */
function listNodes(node: unknown): Ast[] {
  if (Array.isArray(node)) return node.flatMap(listNodes);
  if (typeof node !== 'object' || node === null) return [];
  const { type = '' } = node as Ast;
  if (/^TS(Type|Interface|Enum|Literal)/.test(type)) return [];
  const descendants = Object.values(node).flatMap(listNodes);
  return type ? [node as Ast, ...descendants] : descendants;
}

function listMutations(file: string): Mutation[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return listNodes(parseSync(file, text).program)
    .flatMap((node) => mutators.flatMap((mutate) => mutate(node, text) ?? []))
    .map((replacement) => ({ ...replacement, file }));
}

function listSourcesByFolder(): Map<string, string[]> {
  const testOrOutput = /^self\/|\.spec\.ts$|^out\//;
  const listSources = (folder: string) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.m?ts$/.test(name) && !testOrOutput.test(name))
      .map((name) => `${folder}/${name}`);
  const sourceFolders = readdirSync(path.join(root, 'src')).map((name) => `src/${name}`);
  return new Map(
    ['schemas', ...sourceFolders, 'tests', 'reports', 'commands', 'mock'].map((sourceFolder) => [
      sourceFolder,
      listSources(sourceFolder),
    ]),
  );
}

/** Generates an endless sequence of mutations from a seed, one folder after the other, each of a random kind. */
function* drawMutations(seed: number): Generator<Mutation> {
  const random = createRandom(seed);
  const pickRandom = <T>(choices: T[]): T | undefined => choices[Math.floor(random() * choices.length)];
  const mutationsByFolder = [...listSourcesByFolder().values()].map((files) => files.flatMap(listMutations));
  const kinds = ['operator', 'call', 'constant', 'early return'];
  for (let round = 0; ; round += 1) {
    const mutations = mutationsByFolder[round % mutationsByFolder.length] ?? [];
    const kind = pickRandom(kinds);
    const mutation =
      pickRandom(mutations.filter((candidate) => candidate.kind === kind)) ?? pickRandom(mutations);
    if (mutation) yield mutation;
  }
}

function copyRepository(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mutations-'));
  spawnSync('git', ['clone', '--quiet', '--shared', root, folder]);
  return copyProject(folder);
}

/** Runs specs of a copy of the project until a test fails. Returns the title of that test, or the error; undefined if all pass. */
function findFailure(folder: string, specs: string[]): string | undefined {
  const args = ['test', '--config', 'tests/self', '-x', '--reporter=line', ...specs];
  // `timeout` kills the whole process group; a worker in an endless loop handles no other signal.
  const cli = path.join(folder, 'node_modules/@playwright/test/cli.js');
  const { status, stdout } = spawnSync('timeout', ['-s', 'KILL', '400', process.execPath, cli, ...args], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  if (status === 0) return undefined;
  const titleOrError = /(?<=^ +1\) ).*$|^\w*Error: .*$/m;
  const [failed = `ended with ${status ?? 'a time-out'}`] = titleOrError.exec(stdout) ?? [];
  const projectName = /^\[[^\]]*\] › /;
  const closingLine = / ─+$/;
  return failed.replace(projectName, '').replace(closingLine, '');
}

/** Folders below `tests/self` whose specs find most mutations, keyed by folder of the source; default: the folder with the same name. */
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
  return (testFoldersBySource[sourceFolder] ?? [sourceFolder]).map((name) => `self/${name}/`);
}

/** Applies a mutation to a copy of the project, and runs the specs. `failed`: title of the test that found the mutation. */
function judgeMutation(
  folder: string,
  mutation: Mutation,
): 'does not compile' | { failed: string | undefined } {
  const file = path.join(folder, mutation.file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, mutation.start) + mutation.newText + text.slice(mutation.end));
  try {
    if (!compiles(folder)) return 'does not compile';
    return { failed: findFailure(folder, listLikelySpecs(mutation.file)) ?? findFailure(folder, []) };
  } finally {
    writeFileSync(file, text);
  }
}

const compiles = (folder: string) =>
  spawnSync('npx', ['tsc', '--project', '.'], { cwd: folder }).status === 0;

const shorten = (text: string) => text.replace(/\s+/g, ' ').slice(0, 80);

/** Formats a mutation: `src/client/token.ts:12 (operator) < → <=`. */
function describeMutation({ kind, file, start, end, newText }: Mutation): string {
  const text = readFileSync(path.join(root, file), 'utf8');
  const line = text.slice(0, start).split('\n').length;
  return `${file}:${line} (${kind}) ${shorten(text.slice(start, end))} → ${shorten(newText) || 'nothing'}`;
}

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '10' } },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const folder = copyRepository();
const failureWithoutMutation = findFailure(folder, []);
if (failureWithoutMutation) throw new Error(`without a mutation, this fails: ${failureWithoutMutation}`);
const [survivors, count] = [[] as string[], Number(values.count)];
let triedCount = 0;
for (const mutation of drawMutations(Number(values.seed))) {
  const result = judgeMutation(folder, mutation);
  if (result === 'does not compile') continue;
  triedCount += 1;
  const text = `${triedCount}. ${describeMutation(mutation)}`;
  if (result.failed === undefined) survivors.push(text);
  print(`${text}\n   ${result.failed === undefined ? 'SURVIVED' : `red: ${result.failed}`}`);
  if (triedCount === count) break;
}
print([`\n${count - survivors.length} of ${count} mutations are red`, ...survivors].join('\n'));
rmSync(folder, { recursive: true, force: true });
