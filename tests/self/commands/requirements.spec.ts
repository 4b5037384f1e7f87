import { expect, test } from '@playwright/test';
import { matching, requirementLines } from '../../../reports/requirement-list.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { requirementsOf } from '../../../schemas/contract/requirements.ts';
import { runScript } from '../harness/in-process-command.ts';

const all = requirementsOf(loadContract());
const addressesWith = (...terms: string[]) => matching(all, terms).map(({ address }) => address);

test('a word is looked for in address and sentence, in any letter case', () => {
  expect(addressesWith('EXPIRATION')).toEqual(['getCard/data/card/expiration_date']);
  expect(addressesWith('mm/yy')).toEqual(['getCard/data/card/expiration_date']);
  expect(addressesWith('getcard', 'period')).toEqual([
    'getCard/data/card/limits/*/period',
    'getCard/data/card/limits/*/period/values-that-occur',
  ]);
  expect(addressesWith()).toHaveLength(all.length);
  expect(addressesWith('.*')).toEqual([]);
});

test('each line has address, level, section and sentence, below each other', () => {
  const lines = requirementLines(all);
  const columns = (line: string) => /^(\S+ +)(MUST|SHOULD) +([1-9][.1-9]*) +(?=\S)/.exec(line);
  const starts = lines.map((line) => columns(line)?.[1]?.length);
  expect(new Set(starts).size).toBe(1);
  expect(new Set(lines.map((line) => columns(line)?.[0].length)).size).toBe(1);
  for (const [index, { statement }] of all.entries())
    expect(lines[index]?.endsWith(`  ${statement}`)).toBe(true);
});

test('the command prints lines or JSON, and says so when nothing matches', async () => {
  const json = await runScript('requirements', ['physical_status', '--json']);
  expect(json.status).toBe(0);
  expect(JSON.parse(json.stdout)).toEqual([
    {
      address: 'getCard/data/card/physical_status',
      level: 'MUST',
      source: '2.2',
      statement: expect.stringContaining('Terminated'),
    },
  ]);
  const nothing = await runScript('requirements', ['expiry_date']);
  expect({ status: nothing.status, stdout: nothing.stdout }).toEqual({ status: 1, stdout: '' });
  expect(nothing.stderr).toMatch(/none of \d+ has "expiry_date" in its address or sentence/);
});
