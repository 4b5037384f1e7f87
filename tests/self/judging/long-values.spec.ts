import { expect, test } from '@playwright/test';
import {
  buildContract,
  type Contract,
  loadContract,
  type Operation,
  readSpecTexts,
} from '../../../schemas/contract/contract.ts';
import { nodesOf } from '../../../schemas/contract/nodes.ts';
import { isValid, validatorOf } from '../../../schemas/contract/validators.ts';
import { requirementsFor } from '../../run/results.ts';
import { judgePage } from '../../sweep/pages/page-judge.ts';
import { evaluateRequirements } from '../../verdict/evaluate.ts';
import { addressesWith, exampleTarget, json, observationsOf, type Reply } from '../harness/examples.ts';

const nodes = loadContract().operations.flatMap(nodesOf);
const long = 3_000_000;
const dialCode = `+${'1 '.repeat(long)}1`;
const texts: [name: string, text: string][] = [
  ['groups of digits behind a plus sign', dialCode],
  ['the same, with another end', `${dialCode}x`],
  ['digits', '1'.repeat(long)],
  ['digits behind a point', `1.${'1'.repeat(long)}`],
  ['parts of a second', `2024-02-29T08:15:30.${'1'.repeat(long)}Z`],
];

test('no pattern of the contract overflows the stack on a long text', () => {
  const patterns = new Map(nodes.map(({ schema }) => [schema.pattern, schema]));
  for (const [pattern, schema] of patterns)
    for (const [name, text] of pattern ? texts : [])
      expect(() => isValid(validatorOf(schema, name), text), `${pattern}: ${name}`).not.toThrow();
});

const dialCodeSchema = () => nodes.find(({ name }) => name === 'dial_code')?.schema ?? {};

test('a dial code of megabytes is right where a short one would be', () => {
  const accepts = (text: string) => isValid(validatorOf(dialCodeSchema(), 'dial_code'), text);
  expect(accepts(dialCode)).toBe(true);
  for (const wrong of [`${dialCode} `, `${dialCode}  1`, `${dialCode} -1`, `+ ${dialCode}`])
    expect(accepts(wrong)).toBe(false);
});

/** The contract, with a pattern on which such a dial code overflows the stack. */
function failingContract(): Contract {
  const specTexts = readSpecTexts();
  const { pattern = '' } = dialCodeSchema();
  const document = specTexts['openapi.yaml'].replace(`pattern: ${pattern}`, 'pattern: ^\\+([0-9]| )*$');
  return buildContract({ ...specTexts, 'openapi.yaml': document });
}

const contract = failingContract();
const customer = { uuid: 'cus-a', reference_number: 'r', dial_code: dialCode };
const success = (data: unknown) => json(200, { code: 200, message: 'ok', data });
const blocked = expect.stringContaining('by its own fault (RangeError)');

test('what this suite fails at while it looks for violations blocks one response, and no other', async () => {
  const reply: Reply = ({ operation, parameters }, usual) => {
    if (operation === 'getCard') return success({ card: { title: 5 } });
    return parameters.id === 'cus-a' ? success({ customer }) : usual;
  };
  const target = exampleTarget();
  const observations = await observationsOf(reply, target, contract.ledger, contract);
  expect(observations.filter((one) => one.blocked)).toMatchObject([{ operation: 'getCustomer', blocked }]);
  const results = evaluateRequirements(requirementsFor(contract, target), observations, target.profile);
  expect(addressesWith(results, 'violation')).toContain('getCard/data/card/title');
  expect(addressesWith(results, 'blocked')).toContain('getCustomer/http/status');
});

test('it blocks a page of a sweep, too', () => {
  const operation = contract.operations.find(({ id }) => id === 'listCustomers') as Operation;
  const rules = { operation, pointer: '/data/customers', entries: [], tolerates: false, curl: 'curl' };
  const beside = { skipped: new Set<number>(), isKnownBroken: () => false, violations: [] };
  const { observation } = judgePage(rules, {}, success({ customers: [customer] }), [customer], beside);
  expect(observation).toMatchObject({ blocked, visits: {} });
});
