import { expect, test } from '@playwright/test';
import type { Conformance } from '../../../reports/conformance.ts';
import { checkConformance } from '../../../reports/read-conformance.ts';
import type { Target } from '../../../src/client/target.ts';
import { json, type Reply } from '../harness/examples.ts';
import { reportOf, usual } from './report-outputs.ts';

const textualCode: Reply = ({ operation }, answer) =>
  operation === 'getCard' ? json(200, { code: '200', message: 'success', data: {}, mesage: '' }) : answer;
const refused: Reply = () => ({ blocked: 'the connection was refused' });

const runs: [name: string, Reply, Partial<Target>, Conformance['verdict'], kinds: string[]][] = [
  ['a pass', usual, {}, 'pass', []],
  ['a fail', textualCode, {}, 'fail', ['undeclared', 'violation']],
  ['undeclared fields that fail', textualCode, { undeclaredFields: 'fail' }, 'fail', ['violation']],
  ['coverage below the gate', usual, { minCoverage: 100 }, 'fail', ['coverage']],
  ['an unreachable target with a gate', refused, { minCoverage: 100 }, 'error', ['blocked', 'coverage']],
];
for (const [name, reply, settings, verdict, kinds] of runs)
  test(`conformance.json of ${name} follows its schema`, async () => {
    const run = await reportOf(reply, settings);
    expect(run.verdict).toBe(verdict);
    expect([...new Set(run.findings.map(({ kind }) => kind))].sort()).toEqual(kinds);
    expect(checkConformance(JSON.parse(JSON.stringify(run)), 'it')).toEqual(JSON.parse(JSON.stringify(run)));
  });

const oneOf = 'must be equal to one of the allowed values';

/** Where `conformance.json` is changed to what (undefined removes it), and what is said then. */
const wrong: [place: string, value: unknown, says: string][] = [
  ['verdict', undefined, "must have required property 'verdict'"],
  ['verdict', 'green', `/verdict ${oneOf}`],
  ['colour', 1, 'must NOT have additional properties'],
  ['schemaVersion', 99, '/schemaVersion must be equal to constant'],
  ['requests', '7', '/requests must be integer'],
  ['startedAt', 'now', '/startedAt must match'],
  ['startedAt', '2026-02-30T12:00:00Z', '/startedAt must match'],
  ['startedAt', '2026-01-22T12:00:00+02:00', '/startedAt must match'],
  ['startedAt', '2016-12-31T23:59:60Z', '/startedAt must match'],
  ['target', '\u001b[31mgreen', '/target must match pattern'],
  ['findings/0/kind', 'bug', `/findings/0/kind ${oneOf}`],
  ['findings/0/value', '4111', '/findings/0 must NOT have additional properties'],
  ['findings/0/pointer', 'data.card', '/findings/0/pointer must match pattern'],
  ['requirements/0', null, '/requirements/0 must be object'],
  ['requirements/0/level', 'MAY', `/requirements/0/level ${oneOf}`],
  ['coverage/nodes/percentage', 101, '/coverage/nodes/percentage must be <= 100'],
  ['coverage', JSON.parse('{"__proto__":{"seen":{}}}'), "/coverage must have required property 'nodes'"],
];

test('what is no conformance.json of this version is rejected in one sentence', async () => {
  const run = await reportOf(textualCode);
  for (const [place, value, says] of wrong) {
    const changed = structuredClone(run);
    const steps = place.split('/');
    const name = steps.pop() ?? '';
    // biome-ignore lint/suspicious/noExplicitAny: any place of it.
    const parent = steps.reduce((at: any, step) => at[step], changed);
    parent[name] = value;
    if (value === undefined) delete parent[name];
    expect(() => checkConformance(changed, 'a.json'), place).toThrow(
      `a.json is no conformance.json that this suite reads: ${says}`,
    );
  }
  for (const schemaVersion of [1, 2])
    expect(() => checkConformance({ ...run, schemaVersion }, 'a.json')).toThrow(
      'a.json was written by an earlier version of this suite: judge the target again',
    );
});
