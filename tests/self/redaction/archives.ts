import { readFileSync } from 'node:fs';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';
import type { ReportFile } from '../harness/whole-run.ts';

/** The files in archives below a folder, which hide from a search: zips, and the zip in a page of Playwright's HTML reporter. */
export async function archivedFiles(folder: string, files: ReportFile[]): Promise<ReportFile[]> {
  const found = await Promise.all(files.map((file) => contentsOf(folder, file)));
  return found.flat();
}

async function contentsOf(folder: string, file: ReportFile): Promise<ReportFile[]> {
  if (file.name.endsWith('.zip')) return unzipped(file.name, readFileSync(path.join(folder, file.name)));
  const embedded = /data:application\/zip;base64,([\w+/=]+)/.exec(file.text)?.[1];
  return embedded ? unzipped(file.name, Buffer.from(embedded, 'base64')) : [];
}

async function unzipped(name: string, bytes: Buffer): Promise<ReportFile[]> {
  const zip = await fromBufferPromise(bytes, { lazyEntries: true });
  const files: ReportFile[] = [];
  for await (const entry of zip.eachEntry())
    files.push({
      name: `${name}/${entry.fileName}`,
      text: await text(await zip.openReadStreamPromise(entry)),
    });
  return files;
}
