import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { buildContract, loadContract, readSpecTexts } from '../../../schemas/contract/contract.ts';
import type { BodyOf, CardLimit, OperationId, ParametersOf } from '../../../schemas/generated/operations.ts';
import { isObjectOrArray } from '../../../schemas/json.ts';
import { root } from '../harness/project-files.ts';
import { renderOperationTypes } from '../project/operation-types.ts';

/** Type `true` if `A` and `B` are identical, and otherwise type `false`. */
type Identical<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

type Customer = BodyOf<'getCustomer'>['data']['customer'];
type FeeRule = BodyOf<'getFeeRules'>['data']['fee_rules'][number];

// Names only a part of the contract, so that a new operation, parameter or field changes nothing here.
test('the types of operations, parameters and fields are those of the contract, which compiling this file checks', () => {
  const parameters = [
    true satisfies Identical<Extract<OperationId, 'getCard'>, 'getCard'>,
    true satisfies Identical<Extract<OperationId, 'getNothing'>, never>,
    true satisfies Identical<ParametersOf<'getCard'>, { id: string }>,
    true satisfies Identical<
      Pick<ParametersOf<'listCustomers'>, 'limit' | 'offset' | 'linked_source_type'>,
      { limit?: string; offset?: string; linked_source_type?: 'User' | 'Store' }
    >,
    true satisfies Identical<
      Pick<ParametersOf<'getFeeRules'>, 'type' | 'user_id'>,
      { type: 'business' | 'user'; user_id?: string }
    >,
  ];
  const fields = [
    true satisfies Identical<BodyOf<'getCard'>['code'], 200>,
    true satisfies Identical<Customer['dial_code'], string>,
    true satisfies Identical<Pick<Customer, 'uuid' | 'phone'>, { uuid: string; phone?: string }>,
    true satisfies Identical<BodyOf<'listCustomers'>['data']['customers'], Customer[]>,
    true satisfies Identical<BodyOf<'getCard'>['data']['card']['limits'], CardLimit[]>,
    true satisfies Identical<Extract<CardLimit['period'], 'Daily'>, 'Daily'>,
    true satisfies string extends CardLimit['period'] ? true : false,
    true satisfies Identical<CardLimit['status'], 'Active' | 'Inactive' | undefined>,
    true satisfies Identical<FeeRule['p_user_id'], string | undefined>,
  ];
  expect([...parameters, ...fields]).not.toContain(false);
});

function findErrorLines(file: string): Set<number> {
  const options =
    '--ignoreConfig --noEmit --strict --allowImportingTsExtensions --module nodenext --pretty false';
  const tscArgs = [...options.split(' '), file];
  const { stdout } = spawnSync('node_modules/.bin/tsc', tscArgs, { cwd: root, encoding: 'utf8' });
  // Matches the output `assignments.ts(12,5): error TS2322: …` and captures the line 12.
  const errorWithLine = /^\S.*\((\d+),\d+\): error/gm;
  return new Set([...stdout.matchAll(errorWithLine)].map(([, line]) => Number(line)));
}

function findTypeErrors(assignments: [operation: string, value: unknown][]): number[] {
  const file = test.info().outputPath('assignments.ts');
  const imported = `import type { BodyOf } from '${root}schemas/generated/operations.ts';`;
  const lines = assignments.map(
    ([operation, value], index) => `const body${index}: BodyOf<'${operation}'> = ${JSON.stringify(value)};`,
  );
  writeFileSync(file, [imported, ...lines].join('\n'));
  // Line numbers begin with 1, which is the line of the import.
  const firstAssignmentLine = 2;
  return [...findErrorLines(file)].map((line) => line - firstAssignmentLine);
}

/** Lists copies with one value each replaced by null: `[1, 2]` gives `[[null, 2], [1, null]]`. */
function listCopiesWithNull(value: unknown): unknown[] {
  if (!isObjectOrArray(value)) return [];
  const replaceMember = (key: string, newMember: unknown) =>
    Array.isArray(value) ? value.with(Number(key), newMember) : { ...value, [key]: newMember };
  return Object.entries(value).flatMap(([key, member]) => {
    // Either the whole member becomes null, or one of the values in it.
    const newMembers = [null, ...listCopiesWithNull(member)];
    return newMembers.map((newMember) => replaceMember(key, newMember));
  });
}

test('each example of the contract compiles as the body of its operation, and none with a null in any place', () => {
  const examples = loadContract().operations.flatMap((operation) =>
    Object.values(operation.examples).map(({ value }): [string, unknown] => [operation.id, value]),
  );
  const wrong = examples.flatMap(([id, value]) =>
    listCopiesWithNull(value).map((changed): [string, unknown] => [id, changed]),
  );
  expect(wrong.length).toBeGreaterThan(100);
  const failing = findTypeErrors([...examples, ...wrong]);
  expect(failing).toEqual(wrong.map((_, index) => examples.length + index));
});

const edits: [before: string, after: string, line: string][] = [
  ['schema: { type: string }', 'schema: { type: integer }', 'id: number;'],
  ['enum: [User, Store]', "enum: [User, It's]", "linked_source_type?: 'User' | 'It\\'s';"],
  ['required: [dial_code, reference_number, uuid]', 'required: [dial_code]', 'uuid?: string;'],
  ['x-observed-names: [p_user_id]', 'x-observed-names: [p-user-id]', "'p-user-id'?: string;"],
  [
    'items: { $ref: "#/components/schemas/CardLimit" }',
    'items: { type: boolean }',
    'limits: Array<boolean>;',
  ],
];

for (const [before, after, line] of edits)
  test(`with ${after} instead of ${before} the types have ${line}`, () => {
    const texts = readSpecTexts();
    const render = (openapi: string) =>
      // The ledger names a requirement that an edit removes.
      renderOperationTypes(buildContract({ ...texts, 'openapi.yaml': openapi, 'ledger.yaml': '' }));
    const trimmedLines = (text: string) => text.split('\n').map((typeLine) => typeLine.trim());
    expect(trimmedLines(render(texts['openapi.yaml']))).not.toContain(line);
    expect(trimmedLines(render(texts['openapi.yaml'].replace(before, after)))).toContain(line);
  });
