import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { parseSync } from 'oxc-parser';
import { randomOf } from '../../src/sweep/paging.ts';
import { copyProject } from './harness/project-copy.ts';

/*
 * `npm run dev:mutate -- --seed N --count N` breaks the suite in small ways, drawn by the seed, over all of its folders, and
 * says which of them no test of the suite finds. Each is made alone, in a copy.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));

/** One small change of a file: what stands from `start` to `end` becomes `after`. */
interface Mutation {
  kind: 'operator' | 'call' | 'constant' | 'early return';
  file: string;
  start: number;
  end: number;
  after: string;
}

interface Ast {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

const turned: Record<string, string> = {
  ...{ '<': '<=', '<=': '<', '>': '>=', '>=': '>', '===': '!==', '!==': '===' },
  ...{ '&&': '||', '||': '&&', '+': '-', '-': '+', '||=': '=', '+=': '-=' },
};

/** Calls on a value without which the value is there all the same. */
const leftOut = /^(filter|slice|sort|toSorted|reverse|toReversed|trim|trimEnd|toLowerCase|flat)$/;

type Draft = Omit<Mutation, 'file'>;

function draftAt(node: Ast, text: string): Draft | undefined {
  const { type, start, end, operator, value, alternate } = node;
  const [left, right, callee, test] = ['left', 'right', 'callee', 'test'].map((name) => node[name] as Ast);
  const turn = turned[String(operator)];
  if (left && right && turn && /^(Binary|Logical|Assignment)Expression$/.test(type)) {
    const at = text.indexOf(String(operator), left.end);
    return { kind: 'operator', start: at, end: at + String(operator).length, after: turn };
  }
  if (type === 'ExpressionStatement' && /^(await )?[\w.#?]+\(/.test(text.slice(start, end)))
    return { kind: 'call', start, end, after: ';' };
  if (type === 'CallExpression' && callee?.type === 'MemberExpression' && leftOut.test(nameOf(callee)))
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

const nameOf = (callee: Ast) => String((callee.property as Ast & { name?: string }).name);

/** Nodes of a tree, but for types. */
function nodesIn(node: unknown): Ast[] {
  if (Array.isArray(node)) return node.flatMap(nodesIn);
  if (typeof node !== 'object' || node === null) return [];
  const { type = '' } = node as Ast;
  if (/^TS(Type|Interface|Enum|Literal)/.test(type)) return [];
  const below = Object.values(node).flatMap(nodesIn);
  return type ? [node as Ast, ...below] : below;
}

function mutationsOf(file: string): Mutation[] {
  const text = readFileSync(path.join(root, file), 'utf8');
  return nodesIn(parseSync(file, text).program)
    .flatMap((node) => draftAt(node, text) ?? [])
    .map((draft) => ({ ...draft, file }));
}

/** Folders of the product: each gets as many mutations as the others. */
function rooms(): Map<string, string[]> {
  const below = (folder: string) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.m?ts$/.test(name) && !/^self\/|\.spec\.ts$|^out\//.test(name))
      .map((name) => `${folder}/${name}`);
  const inSrc = readdirSync(path.join(root, 'src')).map((name) => `src/${name}`);
  return new Map(
    ['schemas', ...inSrc, 'tests', 'reports', 'commands', 'mock'].map((room) => [room, below(room)]),
  );
}

/** The mutations of a seed, without an end: of one folder after the other, and within each of one kind after the other. */
function* drawn(seed: number): Generator<Mutation> {
  const random = randomOf(seed);
  const pick = <T>(all: T[]): T | undefined => all[Math.floor(random() * all.length)];
  const byRoom = [...rooms().values()].map((files) => files.flatMap(mutationsOf));
  const kinds = ['operator', 'call', 'constant', 'early return'];
  for (let place = 0; ; place += 1) {
    const all = byRoom[place % byRoom.length] ?? [];
    const kind = pick(kinds);
    const one = pick(all.filter((each) => each.kind === kind)) ?? pick(all);
    if (one) yield one;
  }
}

/** A copy of the project with a repository of its own, since some tests ask git. */
function copied(): string {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'mutations-'));
  spawnSync('git', ['clone', '--quiet', '--shared', root, folder]);
  return copyProject(folder);
}

/** Runs tests of the suite until one fails: what has failed, if anything has. */
function failureIn(folder: string, specs: string[]): string | undefined {
  const args = ['test', '--config', 'tests/self', '-x', '--reporter=line', ...specs];
  // With `timeout`, which ends the whole group at once: a worker in an endless loop hears nothing else.
  const cli = path.join(folder, 'node_modules/@playwright/test/cli.js');
  const { status, stdout } = spawnSync('timeout', ['-s', 'KILL', '400', process.execPath, cli, ...args], {
    ...{ cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 },
  });
  if (status === 0) return undefined;
  const [failed = `ended with ${status ?? 'a time-out'}`] =
    /(?<=^ +1\) ).*$|^\w*Error: .*$/m.exec(stdout) ?? [];
  return failed.replace(/^\[[^\]]*\] › /, '').replace(/ ─+$/, '');
}

/** Folders of tests that are about a room and are not called like it. */
const about: Record<string, string[]> = {
  schemas: ['judging', 'contract', 'proof'],
  redact: ['redaction'],
  ask: ['questions', 'verdict', 'proof'],
  relations: ['relations', 'proof'],
  run: ['runs', 'configuration'],
  tests: ['runs'],
};

/** Tests of the suite that are about a file come first: most mutations are found there. */
function specsAbout(file: string): string[] {
  const [room = ''] = file.replace(/^src\//, '').split('/');
  return (about[room] ?? [room]).map((name) => `self/${name}/`);
}

/** What fails, if anything does. A change that does not compile is no mutation. */
function judged(folder: string, mutation: Mutation): 'does not compile' | { failed: string | undefined } {
  const file = path.join(folder, mutation.file);
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.slice(0, mutation.start) + mutation.after + text.slice(mutation.end));
  try {
    if (!compiles(folder)) return 'does not compile';
    return { failed: failureIn(folder, specsAbout(mutation.file)) ?? failureIn(folder, []) };
  } finally {
    writeFileSync(file, text);
  }
}

const compiles = (folder: string) =>
  spawnSync('npx', ['tsc', '--project', '.'], { cwd: folder }).status === 0;

const oneLine = (text: string) => text.replace(/\s+/g, ' ').slice(0, 80);

function said({ kind, file, start, end, after }: Mutation): string {
  const text = readFileSync(path.join(root, file), 'utf8');
  const line = text.slice(0, start).split('\n').length;
  return `${file}:${line} (${kind}) ${oneLine(text.slice(start, end))} → ${oneLine(after) || 'nothing'}`;
}

const { values } = parseArgs({
  options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '10' } },
});
const print = (line: string) => process.stdout.write(`${line}\n`);
const folder = copied();
const before = failureIn(folder, []);
if (before) throw new Error(`without a mutation, this fails: ${before}`);
const [survivors, count] = [[] as string[], Number(values.count)];
let tried = 0;
for (const mutation of drawn(Number(values.seed))) {
  const result = judged(folder, mutation);
  if (result === 'does not compile') continue;
  tried += 1;
  const text = `${tried}. ${said(mutation)}`;
  if (result.failed === undefined) survivors.push(text);
  print(`${text}\n   ${result.failed === undefined ? 'SURVIVED' : `red: ${result.failed}`}`);
  if (tried === count) break;
}
print([`\n${count - survivors.length} of ${count} mutations are red`, ...survivors].join('\n'));
rmSync(folder, { recursive: true, force: true });
