import { existsSync, readFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import type { Figure } from './measure.ts';
import { pageFigures } from './pages.ts';
import { roundTripFigures } from './round-trips.ts';
import { sweepFigures } from './sweeps.ts';
import { wholeRunFigures } from './whole-run.ts';

/** Figures with the machine that they were taken on: `npm run bench --silent -- --json > tests/bench/last.json`. */
interface Bench {
  date: string;
  machine: { processors: string; memoryGb: number; platform: string; node: string };
  versions: Record<string, string>;
  figures: Figure[];
}

const lastFile = new URL('last.json', import.meta.url);

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')).version;

const machine = {
  processors: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown'}`,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  platform: `${platform()} ${arch()}`,
  node: process.version,
};

/** One line for each figure, beside the last ones and what must be reached. */
function tableOf({ date, machine, figures }: Bench, last: Bench | undefined): string {
  const before = new Map(last?.figures.map((figure) => [figure.name, figure]));
  const rows = figures.map((figure) => {
    const earlier = before.get(figure.name);
    const target = figure.target === undefined ? '' : `≤ ${figure.target}`;
    return `| ${figure.name} | ${textOf(figure)} | ${earlier ? textOf(earlier) : ''} | ${target} |`;
  });
  const about = `${date}, ${machine.processors}, ${machine.memoryGb} GB, ${machine.platform}, Node ${machine.node}`;
  const since = last ? ` (before: ${last.date})` : '';
  return [
    `${about}${since}`,
    '',
    '| measured | now | before | to reach |',
    '| --- | ---: | ---: | --- |',
    ...rows,
    '',
  ].join('\n');
}

const textOf = ({ value, unit }: Figure) =>
  `${value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2)}${unit === 'ratio' ? '' : ` ${unit}`}`;

const figures = [
  ...wholeRunFigures(),
  ...(await pageFigures()),
  ...(await sweepFigures()),
  ...(await roundTripFigures()),
];
const versions = Object.fromEntries(['@playwright/test', 'ajv'].map((name) => [name, versionOf(name)]));
const bench: Bench = { date: new Date().toISOString().slice(0, 10), machine, versions, figures };
const last = existsSync(lastFile) ? (JSON.parse(readFileSync(lastFile, 'utf8')) as Bench) : undefined;
const isJson = process.argv.includes('--json');
process.stdout.write(isJson ? `${JSON.stringify(bench, null, 2)}\n` : tableOf(bench, last));
