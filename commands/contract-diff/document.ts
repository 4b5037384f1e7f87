import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { isRecord } from '../../schemas/json/read.ts';

/** A change of the document, as `redocly diff` rates it for clients of the API. */
export interface DocumentChange {
  impact: string;
  kind: string;
  /** JSON Pointer into the document, and the property that has changed. */
  place: string;
}

/** What `redocly diff` says of two versions of `openapi.yaml`; undefined where it does not work. */
export function documentChanges(before: string, now: string): DocumentChange[] | undefined {
  if (before === now) return [];
  const folder = mkdtempSync(path.join(os.tmpdir(), 'contract-diff-'));
  const write = (name: string, text: string) => {
    writeFileSync(path.join(folder, name), text);
    return path.join(folder, name);
  };
  try {
    const config = write('redocly.yaml', 'extends: [diff-recommended]\n');
    const args = ['diff', write('before.yaml', before), write('now.yaml', now), `--config=${config}`];
    const { stdout } = spawnSync(process.execPath, [redocly(), ...args, '--format=json', '--fail-on=none'], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    return changesIn(JSON.parse(stdout));
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The program that lints the contract as well. */
function redocly(): string {
  const manifest = createRequire(import.meta.url).resolve('@redocly/cli/package.json');
  return path.join(path.dirname(manifest), 'bin', 'cli.js');
}

function changesIn(report: unknown): DocumentChange[] | undefined {
  const changes = isRecord(report) ? report.changes : undefined;
  if (!Array.isArray(changes)) return undefined;
  return changes.filter(isRecord).map(({ impact, kind, path: pointer, property }) => ({
    impact: `${impact}`,
    kind: `${kind}`,
    place: [pointer, property].filter((part) => typeof part === 'string').join(' · '),
  }));
}
