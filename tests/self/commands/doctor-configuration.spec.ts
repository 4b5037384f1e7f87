import { expect, test } from '@playwright/test';
import { linesOf } from '../../../commands/doctor/check.ts';
import { examine } from '../../../commands/doctor/examine.ts';
import { readConfiguration } from '../../configuration/target.ts';
import { said } from './doctoring.ts';

test('a misspelt variable is said; in .env it is a mistake, and nothing is sent', async () => {
  expect(await said({ CARD_ID: 'a' })).toMatch(/^! configuration .*did you mean CARD_IDS\?$/m);
  const text = await said({}, 'CARD_ID=a');
  expect(text).toMatch(/^✗ configuration .*did you mean CARD_IDS\?$/m);
  expect(text).toMatch(/^! target +nothing was sent/m);
});

test('a file that a run would reject is said, and nothing is sent', async () => {
  for (const [variable, says] of [
    ['PREVIOUS', 'must name the conformance.json of a run'],
    ['RECORD_FILE', 'holds no recorded answers'],
  ] as const) {
    const text = await said({ [variable]: 'package.json' });
    expect(text).toMatch(
      new RegExp(`^✗ configuration +${variable} ${says}.*\n[^]*^! target +nothing was sent`, 'm'),
    );
  }
});

test('an identifier of a form that the contract does not document is said by its place', async () => {
  const text = await said({ CARD_IDS: '0b7e2a52-0000-4000-8000-000000000001,"card-1"', CUSTOMER_IDS: 'any' });
  expect(text.match(/^! identifiers .*/gm)).toEqual([
    expect.stringMatching(/ CARD_IDS\[1\] is not an identifier in UUID form/),
  ]);
});

test('a contract with a mistake is said, and nothing is sent', async () => {
  const broken = new Error('spec/openapi.yaml, line 1: not YAML');
  const checks = await examine(readConfiguration({}, '/nonexistent'), broken);
  expect(linesOf(checks)).toMatch(/^✗ contract .*line 1: not YAML\n! target .*nothing was sent/m);
});
