import { expect, test } from '@playwright/test';
import { assertValidDocument, buildContract, ContractError, readSpec } from '../../schemas/contract.ts';
import { answerValidator } from '../../schemas/validators.ts';

const openapi = readSpec('openapi.yaml');
const requirements = readSpec('requirements.yaml');

/** What the suite says of a contract, checked as a run does it; undefined when it is a good one. */
async function refusal(document: string, rules: string): Promise<string | undefined> {
  try {
    await assertValidDocument(document);
    buildContract(document, rules).operations.forEach(answerValidator);
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(ContractError);
    return (error as ContractError).message;
  }
}

/** Replaces the first occurrence of a text that must be there. */
function replaced(text: string, old: string, by: string): string {
  expect(text).toContain(old);
  return text.replace(old, () => by);
}

test('the contract is accepted', async () => {
  expect(await refusal(openapi, requirements)).toBeUndefined();
});

const documents: [name: string, old: string, by: string, says: RegExp][] = [
  [
    'a tab for a blank',
    '  title: Lookup API',
    '\ttitle: Lookup API',
    /^spec\/openapi\.yaml: .* line 3, column 1$/,
  ],
  [
    'a key twice',
    'openapi: 3.1.0',
    'openapi: 3.1.0\nopenapi: 3.1.0',
    /^spec\/openapi\.yaml: .*unique.* line 2/,
  ],
  ['an unknown alias', 'summary: Get a card', 'summary: *card', /^spec\/openapi\.yaml: .*alias.*card/],
  ['another version', 'openapi: 3.1.0', 'openapi: 4.0.0', /^spec\/openapi\.yaml is not .*version/],
  ['an unknown word in the document', 'servers:', 'server:', /^spec\/openapi\.yaml is not .*: \/ .*/],
  ['no operationId', '      operationId: getCard\n', '', /openapi\/cards\/\{id\}: .*operationId/],
  [
    'another method',
    '    get:\n      operationId: getCard',
    '    post:\n      operationId: getCard',
    /cards\/\{id\}: .*get/,
  ],
  [
    'an operationId twice',
    'operationId: getCustomer',
    'operationId: getCard',
    /customers\/\{id\}: .*getCard/,
  ],
  [
    'a response without schema',
    '              schema:\n                x-source: "2.1"\n',
    '              x-schema:\n                x-source: "2.1"\n',
    /cards\/\{id\}: .*schema/,
  ],
  [
    'a response without content',
    '          content:\n',
    '          x-content:\n',
    /cards\/\{id\}: .*media type/,
  ],
  [
    'a typing error in a schema',
    'required: [code, message, data]',
    'requred: [code]',
    /getCard: .*"requred"/,
  ],
  ['an unknown type', '      type: integer\n', '      type: number of\n', /getCard: .*type/],
  ['a format that is not known', 'format: uuid', 'format: uuuid', /getCard: .*"uuuid"/],
  ['a pattern that is none', 'pattern: ^[0-9]{6}$', 'pattern: "^[0-9"', /getCard: .*\^\[0-9/],
  [
    'a reference to nothing',
    '#/components/schemas/CardLimit"',
    '#/components/schemas/CardLimits"',
    /#\/components\/schemas\/CardLimits/,
  ],
  [
    'a reference to itself',
    '    Decimal:\n',
    '    Decimal:\n      $ref: "#/components/schemas/Decimal"\n',
    /#\/components\/schemas\/Decimal refers to itself/,
  ],
  [
    'references in a circle',
    '        billing_currency:\n',
    '        behind: { $ref: "#/components/schemas/PaymentToken" }\n        billing_currency:\n',
    /#\/components\/schemas\/\w+ refers to itself/,
  ],
];

const rules: [name: string, old: string, by: string, says: RegExp][] = [
  [
    'a bracket too many',
    'operations: [getCard]',
    'operations: [getCard]]',
    /^spec\/requirements\.yaml: .* line 3\d/,
  ],
  [
    'an unknown operation',
    'operations: [getCard]',
    'operations: [getCrad]',
    /rules\/id-is-requested: .*getCrad/,
  ],
  [
    'no statement',
    '  statement: no object of the body has a key twice\n',
    '',
    /rules\/unique-keys: .*statement/,
  ],
  ['no source', '  source: "2"\n', '', /rules\/declared-fields: .*source/],
  ['no check', '  check: { finiteNumbers: true }\n', '', /rules\/finite-numbers: .*check/],
  ['an unknown check', 'finiteNumbers: true', 'finiteNumber: true', /rules\/finite-numbers: .*finiteNumber/],
  ['an unknown level', 'level: SHOULD', 'level: OUGHT', /rules\/declared-fields: .*level/],
  ['an unknown word', '  level: SHOULD', '  levl: SHOULD', /rules\/declared-fields: .*levl/],
  ['a parameter that is not there', 'echoes: id', 'echoes: ident', /rules\/id-is-requested: .*ident/],
  [
    'a pointer to nothing',
    '/data/card/id',
    '/data/card/ident',
    /rules\/id-is-requested: .*\/data\/card\/ident/,
  ],
];

for (const [name, old, by, says] of documents) {
  test(`an OpenAPI document with ${name} is refused`, async () => {
    expectPlain(await refusal(replaced(openapi, old, by), requirements), says);
  });
}

for (const [name, old, by, says] of rules) {
  test(`a list of rules with ${name} is refused`, async () => {
    expectPlain(await refusal(openapi, replaced(requirements, old, by)), says);
  });
}

const texts: [name: string, text: string][] = [
  ['empty', ''],
  ['a sentence', 'All is well.'],
  ['a list', '[]'],
];

for (const [name, text] of texts) {
  test(`an OpenAPI document that is ${name} is refused`, async () => {
    expectPlain(await refusal(text, requirements), /^spec\/openapi\.yaml/);
  });
}

test('a reference to nothing is refused where the document itself is not checked', () => {
  const document = replaced(openapi, 'schemas/CardLimit"', 'schemas/CardLimits"');
  const says = 'spec/openapi.yaml: #/components/schemas/CardLimits refers to nothing';
  expect(() => buildContract(document, requirements)).toThrow(new ContractError(says));
});

test('rules that are no list are refused', async () => {
  expectPlain(await refusal(openapi, 'rules: []'), /^spec\/requirements\.yaml/);
  expectPlain(await refusal(openapi, '- rules/unique-keys'), /^spec\/requirements\.yaml/);
});

/** One line for people: the file, the place, and nothing of the inside of the suite. */
function expectPlain(message: string | undefined, says: RegExp): void {
  expect(message).toMatch(says);
  expect(message).toMatch(/^spec\/(openapi|requirements)\.yaml/);
  expect(message).not.toMatch(/\n|\bat .*:\d+:\d+|node_modules|\.ts\b|TypeError|undefined|\[object/);
}
