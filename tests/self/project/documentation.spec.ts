import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../../schemas/contract/ledger.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { selectGates } from '../../../src/verdict/gates.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { listProjectFiles, root } from '../harness/project-files.ts';
import { writtenFaults } from '../proof/faults/index.ts';
import { renderDocuments } from './documented.ts';

const readProjectFile = (name: string) => readFileSync(path.join(root, name), 'utf8');

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  ...readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test('each file that `npm run dev:docs` writes is up to date', () => {
  for (const [file, text] of renderDocuments()) expect(readProjectFile(file), file).toBe(text);
});

test('each confidential parameter has a variable of identifiers, so that its values are masked', () => {
  const unmaskedParameters = loadContract().operations.flatMap(({ id, parameters }) =>
    parameters
      .filter(
        (parameter) =>
          parameter['x-data-classification'].sensitivity !== 'public' && !parameter['x-identifiers'],
      )
      .map(({ name }) => `${id}/${name}`),
  );
  expect(unmaskedParameters).toEqual([]);
});

const { target } = readConfiguration({}, '/nonexistent');

// GitHub gives the heading `## Add an operation` the anchor `add-an-operation`.
const listAnchors = (page: string) =>
  [...readProjectFile(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

for (const page of pages)
  test(`${page}: each link leads to an existing file and heading`, () => {
    const links = [...readProjectFile(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)];
    for (const [link, file, anchor] of links) {
      const linked = file ? path.join(path.dirname(page), file) : page;
      expect(existsSync(path.join(root, linked)), link).toBe(true);
      if (anchor) expect(listAnchors(linked), link).toContain(anchor);
    }
  });

test('each table of the documentation has a header', () => {
  // A blank line between two rows ends a table, so that the rows after it are shown as plain text.
  const firstRow = /^(?!\|).*\n\|.*\n(?!\| ---)/gm;
  const rowsWithoutHeader = pages.flatMap((page) => readProjectFile(page).match(firstRow) ?? []);
  expect(rowsWithoutHeader).toEqual([]);
});

test('each file and folder that the documentation names exists', () => {
  const paths = /`((?:spec|schemas|src|tests|mock|reports(?!\/out)|commands|docs)\/[\w./-]+)`/g;
  const namedPaths = pages.flatMap((page) =>
    [...readProjectFile(page).matchAll(paths)].map(([, name = '']) => name),
  );
  expect(namedPaths.length).toBeGreaterThan(15);
  expect(namedPaths.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

test('each name in the road of a response is declared, in the file that stands beside the name', () => {
  const [, road = ''] =
    /## The road of a response\n([\s\S]*?)\n## /.exec(readProjectFile('docs/maintainers.md')) ?? [];
  const names = [...road.matchAll(/`(\w+)`(?:\s+\(`([^`]+)`\))?/g)];
  const sources = listProjectFiles().filter((file) =>
    /^(schemas|src|reports|tests(?!\/self))\/.*\.ts$/.test(file),
  );
  const isDeclared = (name: string, files: string[]) =>
    files.some((file) =>
      new RegExp(`\\b(?:function|class|interface|type|const|async) ${name}\\b`).test(readProjectFile(file)),
    );
  expect(names.length).toBeGreaterThan(25);
  for (const [text, name = '', file] of names)
    expect(isDeclared(name, file ? [file] : sources), text).toBe(true);
});

test('each function that the page for maintainers calls is declared', () => {
  const calls = [...readProjectFile('docs/maintainers.md').matchAll(/`(\w+)\([^`]*\)`/g)];
  const sources = listProjectFiles().filter((file) => file.endsWith('.ts'));
  const text = sources.map(readProjectFile).join('\n');
  expect(calls.length).toBeGreaterThan(3);
  for (const [call, name = ''] of calls)
    expect(new RegExp(`\\b(?:function|const) ${name}\\b`).test(text), call).toBe(true);
});

test('the documentation names only existing npm scripts, and every script for users', () => {
  const { scripts }: { scripts: object } = JSON.parse(readProjectFile('package.json'));
  const namedCommands = pages.flatMap((page) => [
    ...readProjectFile(page).matchAll(/npm (?:--prefix \S+ )?run ([\w:-]+)/g),
  ]);
  expect(namedCommands.length).toBeGreaterThan(15);
  for (const [command, name] of namedCommands) expect(Object.keys(scripts), command).toContain(name);
  const scriptsForUsers = Object.keys(scripts).filter((name) => name !== 'test' && !name.startsWith('dev:'));
  expect(namedCommands.map(([, name]) => name)).toEqual(expect.arrayContaining(scriptsForUsers));
});

test('each gate names a section of the documentation, and README has at most 150 lines', () => {
  const strictTarget = { ...target, minCoverage: 100, failOn: ['drift', 'server-errors'] as const };
  const targetEntries = [{ target: strictTarget.name } as LedgerEntry];
  for (const { section } of [
    ...selectGates(strictTarget, targetEntries),
    ...selectGates({ ...strictTarget, recordsAnswers: true }, targetEntries),
  ]) {
    const [, page = '', heading] = /^(\S+\.md)(?:, "(.*)")?$/.exec(section) ?? [];
    expect(pages).toContain(page);
    if (heading) expect(readProjectFile(page)).toContain(`## ${heading}\n`);
  }
  expect(selectGates(strictTarget, targetEntries)).toHaveLength(5);
  expect(readProjectFile('README.md').split('\n').length).toBeLessThanOrEqual(150);
});

test('the failure that README shows is printed for such a provider', async () => {
  const shownFailure = /```\n✗ ([\s\S]*?)```/.exec(readProjectFile('README.md'))?.[1] ?? '';
  const name = 'listCustomers: uuid a number, only for Store beyond the first page';
  const alter = writtenFaults.find((fault) => fault.name === name)?.alter;
  const run = await runInProcessAgainst(alter ? { alter } : {});
  // Request ids are random.
  const normalize = (text: string) => text.replace(/^ +/gm, '').replace(/[0-9a-f]{32}-[0-9a-f]{16}/g, 'ID');
  expect(normalize(run.output)).toContain(normalize(shownFailure));
});
