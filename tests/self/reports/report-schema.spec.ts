import { expect, test } from '@playwright/test';
import { checkConformance } from '../../../reports/read-conformance.ts';
import { json, type Reply } from '../harness/examples.ts';
import { reportOf } from './report-outputs.ts';

// That each report follows the schema is seen wherever the harness reads one (`readConformance`).

const textualCode: Reply = ({ operation }, answer) =>
  operation === 'getCard' ? json(200, { code: '200', message: 'success', data: {}, mesage: '' }) : answer;
const oneOf = 'must be equal to one of the allowed values';

/** Where `conformance.json` is changed to what (undefined removes it), and what is said then. */
const wrong: [place: string, value: unknown, says: string][] = [
  ['verdict', undefined, "must have required property 'verdict'"],
  ['verdict', 'green', `/verdict ${oneOf}`],
  ['colour', 1, 'must NOT have additional properties'],
  ['schemaVersion', 99, '/schemaVersion must be equal to constant'],
  ['requests', '7', '/requests must be integer'],
  ['startedAt', '2026-02-30T12:00:00Z', '/startedAt must match'],
  ['startedAt', '2026-01-22T12:00:00+02:00', '/startedAt must match'],
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
  const run = await reportOf(textualCode, { undeclaredFields: 'fail' });
  checkConformance(JSON.parse(JSON.stringify(run)), 'a.json');
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
  expect(() => checkConformance({ ...run, schemaVersion: 2 }, 'a.json')).toThrow(
    'a.json was written by an earlier version of this suite: judge the target again',
  );
});
