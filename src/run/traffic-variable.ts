import { statSync } from 'node:fs';
import { globSync, isDynamicPattern } from 'tinyglobby';
import { standardInput } from '../traffic/shown-source.ts';
import { sourceFromCaller } from './caller-folder.ts';
import type { VariableName } from './variable-table.ts';
import { split, type VariableReader } from './variables.ts';

/** What would have to be sent, and what it is that cannot be. */
const sending: Partial<Record<VariableName, (text: string) => boolean>> = {
  PROBES: (text) => !/^(off|0|$)/.test(text),
  FAIL_ON: (text) => /drift|server-errors/.test(text),
  SWEEP: (text) => text !== '' && text !== 'off',
};

/** The sources that `TRAFFIC` names; what cannot stand beside it is added to the problems. */
export function readTrafficSources(reader: VariableReader): string[] | undefined {
  const text = reader.text('TRAFFIC');
  if (text === undefined) return undefined;
  for (const [name, asks] of Object.entries(sending))
    if (asks(reader.text(name as VariableName) ?? ''))
      reader.problems.push(
        `TRAFFIC judges what was recorded and sends nothing, which ${name} needs: unset one of them`,
      );
  if (/^\s*mock\s*$/i.test(reader.text('BASE_URL') ?? ''))
    reader.problems.push(
      'TRAFFIC judges what was recorded, and BASE_URL=mock asks the mock: unset one of them',
    );
  const sources = split(text);
  if (sources.length === 0)
    reader.problems.push('TRAFFIC names no file: give files separated by commas, or -');
  if (sources.filter((source) => source === standardInput).length > 1)
    reader.problems.push('TRAFFIC names standard input (-) twice');
  reader.problems.push(...sources.flatMap(missingSentence));
  return sources.map(sourceFromCaller);
}

/** A source that stands for no file, by the name as it was typed: nobody else is told. */
function missingSentence(source: string): string[] {
  const file = sourceFromCaller(source);
  const found = statSync(file, { throwIfNoEntry: false });
  if (source === standardInput || (found && !found.isDirectory())) return [];
  if (found) return [`TRAFFIC names ${source}, which is a folder: name its files, as ${source}/*.har`];
  if (!isDynamicPattern(file)) return [`TRAFFIC names ${source}, and there is no such file`];
  const isEmpty = globSync(file, { expandDirectories: false }).length === 0;
  return isEmpty ? [`TRAFFIC names ${source}, and no file has such a name`] : [];
}
