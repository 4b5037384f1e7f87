import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Entry } from '../../../schemas/contract/ledger.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { gatesFor } from '../../../src/verdict/gates.ts';
import { runInProcessAgainst } from '../harness/in-process-run.ts';
import { faults } from '../proof/faults/index.ts';
import { documented } from './documented.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const textOf = (name: string) => readFileSync(path.join(root, name), 'utf8');

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'AGENTS.md',
  ...readdirSync(path.join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

test('each file that `npm run dev:docs` writes is what the contract and the variables give', () => {
  for (const [file, text] of documented()) expect(textOf(file), file).toBe(text);
});

test('each confidential parameter has a variable of identifiers, so that its values are masked', () => {
  const open = loadContract().operations.flatMap(({ id, parameters }) =>
    parameters
      .filter((one) => one['x-data-classification'].sensitivity !== 'public' && !one['x-identifiers'])
      .map(({ name }) => `${id}/${name}`),
  );
  expect(open).toEqual([]);
});

const { target } = readConfiguration({}, '/nonexistent');

/** Anchors of the headings of a page, as GitHub makes them. */
const anchorsOf = (page: string) =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w -]/g, '')
      .replaceAll(' ', '-'),
  );

for (const page of pages)
  test(`${page}: each link leads to a file, and to a heading that it has`, () => {
    const links = [...textOf(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)]*))?\)/g)];
    for (const [link, file, anchor] of links) {
      const linked = file ? path.join(path.dirname(page), file) : page;
      expect(existsSync(path.join(root, linked)), link).toBe(true);
      if (anchor) expect(anchorsOf(linked), link).toContain(anchor);
    }
  });

test('each file and folder of the project that the documentation names is there', () => {
  const paths = /`((?:spec|schemas|src|tests|mock|reports(?!\/out)|commands|docs)\/[\w./-]+)`/g;
  const named = pages.flatMap((page) => [...textOf(page).matchAll(paths)].map(([, name = '']) => name));
  expect(named.length).toBeGreaterThan(15);
  expect(named.filter((name) => !existsSync(path.join(root, name)))).toEqual([]);
});

test('each npm script that the documentation names is one, and names each that is for users', () => {
  const { scripts }: { scripts: object } = JSON.parse(textOf('package.json'));
  const named = pages.flatMap((page) => [...textOf(page).matchAll(/npm (?:--prefix \S+ )?run ([\w:-]+)/g)]);
  expect(named.length).toBeGreaterThan(15);
  for (const [command, name] of named) expect(Object.keys(scripts), command).toContain(name);
  const forUsers = Object.keys(scripts).filter((name) => name !== 'test' && !name.startsWith('dev:'));
  expect(named.map(([, name]) => name)).toEqual(expect.arrayContaining(forUsers));
});

test('each gate says where to read on, and README is short enough to be the entrance', () => {
  const all = { ...target, minCoverage: 100, failOn: ['drift', 'server-errors'] as const };
  const own = [{ target: all.name } as Entry];
  for (const { section } of [...gatesFor(all, own), ...gatesFor({ ...all, record: true }, own)]) {
    const [, page = '', heading] = /^(\S+\.md)(?:, "(.*)")?$/.exec(section) ?? [];
    expect(pages).toContain(page);
    if (heading) expect(textOf(page)).toContain(`## ${heading}\n`);
  }
  expect(gatesFor(all, own)).toHaveLength(5);
  expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(150);
});

test('the failure that README shows is the one of such a provider', async () => {
  const shown = /```\n✗ ([\s\S]*?)```/.exec(textOf('README.md'))?.[1] ?? '';
  const name = 'listCustomers: uuid a number, only for Store beyond the first page';
  const alter = faults.find((fault) => fault.name === name)?.alter;
  const run = await runInProcessAgainst(alter ? { alter } : {});
  // No id is drawn twice.
  const plain = (text: string) => text.replace(/^ +/gm, '').replace(/[0-9a-f]{32}-[0-9a-f]{16}/g, 'ID');
  expect(plain(run.output)).toContain(plain(shown));
});
