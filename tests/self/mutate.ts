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
  /** Index after the last replaced character. */
  end: number;
  /** Replacement of the text from `start` to `end`. */
  after: string;
}

interface Ast {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const replacedOperators: Record<string, string> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  ...{ '&&': '||', '||': '&&', '+': '-', '-': '+', '||=': '=', '+=': '-=' },
};

/** Methods whose call can be removed without a type error. */
const removableCalls = /^(filter|slice|sort|toSorted|reverse|toReversed|trim|trimEnd|toLowerCase|flat)$/;

type Draft = Omit<Mutation, 'file'>;

/** Creates the mutation of a syntax node, such as `<=` for `<`; undefined if none is known for such a node. */
function createDraft(node: Ast, text: string): Draft | undefined {
  const { type, start, end, operator, value, alternate } = node;
  const [left, right, callee, test] = ['left', 'right', 'callee', 'test'].map((name) => node[name] as Ast);
  const replacement = replacedOperators[String(operator)];
  if (left && right && replacement && /^(Binary|Logical|Assignment)Expression$/.test(type)) {
    const operatorStart = text.indexOf(String(operator), left.end);
    return {
      kind: 'operator',
      start: operatorStart,
      end: operatorStart + String(operator).length,
      after: replacement,
    };
  }
  if (type === 'ExpressionStatement' && /^(await )?[\w.#?]+\(/.test(text.slice(start, end)))
    return { kind: 'call', start, end, after: ';' };
  if (
    type === 'CallExpression' &&
    callee?.type === 'MemberExpression' &&
    removableCalls.test(readCallee(callee))
  )
    return { kind: 'call', start: (callee.object as Ast).end, end, after: '' };
  if (type === 'IfStatement' && test && !alternate && /return|throw|continue/.test(text.slice(test.end, end)))
    return { kind: 'early return', start: test.start, end: test.end, after: 'false' };
  if (type === 'ConditionalExpression' && test)
    return {
      kind: 'operator',
      start: test.start,
      end: test.end,
      after: `!(${text.slice(test.start, test.end)})`,
    };
  if (type === 'Literal' && typeof value === 'number')
    return { kind: 'constant', start, end, after: String(value + 1) };
  if (type === 'Literal' && typeof value === 'boolean')
    return { kind: 'constant', start, end, after: String(!value) };
  return undefined;
}

const readCallee = (callee: Ast) => String((callee.property as Ast & { name?: string }).name);

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
    .flatMap((node) => createDraft(node, text) ?? [])
    .map((draft) => ({ ...draft, file }));
}

/** Lists the source files of the product, keyed by room such as `src/client`. Each room gets equally many mutations. */
function listRooms(): Map<string, string[]> {
  const listSources = (folder: string) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.m?ts$/.test(name) && !/^self\/|\.spec\.ts$|^out\//.test(name))
      .map((name) => `${folder}/${name}`);
  const sourceRooms = readdirSync(path.join(root, 'src')).map((name) => `src/${name}`);
  return new Map(
    ['schemas', ...sourceRooms, 'tests', 'reports', 'commands', 'mock'].map((room) => [
      room,
      listSources(room),
    ]),
  );
}

/** Generates an endless sequence of mutations from a seed, one folder after the other, each of a random kind. */
function* drawMutations(seed: number): Generator<Mutation> {
  const random = createRandom(seed);
  const pickRandom = <T>(choices: T[]): T | undefined => choices[Math.floor(random() * choices.length)];
  const mutationsByRoom = [...listRooms().values()].map((files) => files.flatMap(listMutations));
  const kinds = ['operator', 'call', 'constant', 'early return'];
  for (let roomIndex = 0; ; roomIndex += 1) {
    const mutations = mutationsByRoom[roomIndex % mutationsByRoom.length] ?? [];
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
    ...{ cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 },
  });
  if (status === 0) return undefined;
  const [failed = `ended with ${status ?? 'a time-out'}`] =
    /(?<=^ +1\) ).*$|^\w*Error: .*$/m.exec(stdout) ?? [];
  return failed.replace(/^\[[^\]]*\] › /, '').replace(/ ─+$/, '');
}

/** Folders below `tests/self` that find most mutations of a room, keyed by room; by default the folder with the room's name. */
const testFolders: Record<string, string[]> = {
  schemas: ['judging', 'contract', 'proof'],
  redact: ['redaction'],
  operations: ['verdict', 'proof'],
  relations: ['relations', 'proof'],
  run: ['runs', 'configuration'],
  tests: ['runs'],
};

/** Lists the folders of specs that find most mutations of a file, to be run first. */
function listSpecs(file: string): string[] {
  const [room = ''] = file.replace(/^src\//, '').split('/');
  return (testFolders[room] ?? [room]).map((name) => `self/${name}/`);
}

/**
 * Applies a mutation to a copy of the project, runs the specs, and reverts it. `failed` is the title of the test that found the mutation.
 */
function judgeMutation(
  folder: string,
  mutation: Mutation,
): 'does not compile' | { failed: string | undefined } {
  const file = path.join(folder, mutation.file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, mutation.start) + mutation.after + text.slice(mutation.end));
  try {
    if (!compiles(folder)) return 'does not compile';
    return { failed: findFailure(folder, listSpecs(mutation.file)) ?? findFailure(folder, []) };
  } finally {
    writeFileSync(file, text);
  }
}

const compiles = (folder: string) =>
  spawnSync('npx', ['tsc', '--project', '.'], { cwd: folder }).status === 0;

const shorten = (text: string) => text.replace(/\s+/g, ' ').slice(0, 80);

/** Formats a mutation: `src/client/token.ts:12 (operator) < → <=`. */
function describeMutation({ kind, file, start, end, after }: Mutation): string {
  const text = readFileSync(path.join(root, file), 'utf8');
  const line = text.slice(0, start).split('\n').length;
  return `${file}:${line} (${kind}) ${shorten(text.slice(start, end))} → ${shorten(after) || 'nothing'}`;
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
