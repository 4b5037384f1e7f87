import { expect, test } from '@playwright/test';
import type { Classification } from '../../../schemas/contract/classification.ts';
import { loadContract, type Operation } from '../../../schemas/contract/contract.ts';
import type { LedgerEntry } from '../../../schemas/contract/ledger.ts';
import { describeMediaType, describeValue, redactPointer } from '../../../src/redact/describe-value.ts';
import {
  createDisclosureFilter,
  type DisclosureFilter,
  rejectEveryWord,
} from '../../../src/redact/disclosure.ts';
import { proposeAccepts } from '../../../src/redact/received.ts';
import { observe } from '../../../src/redact/redact.ts';
import { Secrets } from '../../../src/redact/secrets.ts';
import { json } from '../harness/examples.ts';
import { createListedCustomer } from '../harness/list-provider.ts';

const classify = (sensitivity: Classification['sensitivity']) => ({
  'x-data-classification': { category: 'technical', sensitivity },
});
const publicSchema = classify('public');
const hiddenSchemas = [undefined, {}, ...(['internal', 'confidential', 'restricted'] as const).map(classify)];

const repeatTwice = (text: string): [string, string] => [text, text];

/**
 * Value, and its descriptions: in a public field, in another field, and in a public field if no word may be shown
 * (default: as in another field).
 */
const valueRows: [value: unknown, shownText: string, hiddenText: string, textWithoutWords?: string][] = [
  [undefined, 'nothing: it is missing', 'nothing: it is missing'],
  [null, 'null', 'null'],
  [true, 'the boolean true', 'a boolean', 'the boolean true'],
  [-1.5, 'the number -1.5', 'a number with a fraction'],
  [4111111111111111, 'a number', 'a number'],
  [-20255501.25, ...repeatTwice('a number with a fraction')],
  [[1, 'secret'], 'an array of 2', 'an array of 2'],
  [{ secret: 1 }, 'an object with 1 field', 'an object with 1 field'],
  ['', 'an empty string', 'an empty string'],
  ['Active', 'the string "Active"', 'a string of 6 characters, shaped "Aaaaaa"'],
  ['card_declined', 'the string "card_declined"', 'a string of 13 characters, shaped "aaaa_aaaaaaaa"'],
  ['On Hold', ...repeatTwice('a string of 7 characters, shaped "Aa Aaaa"')],
  ['1234', 'the string "1234"', 'a string of 4 characters, shaped "0000"'],
  ['4111111111111111', ...repeatTwice('a string of 16 characters, shaped "0000000000000000"')],
  ['4000****0002', ...repeatTwice('a string of 12 characters, shaped "0000****0000"')],
  ['a\uE000b\uE001c\uE002d\uE003', ...repeatTwice('a string of 8 characters, shaped "a?a?a?a?"')],
  ['ada@example.com', ...repeatTwice('a string of 15 characters, shaped "aaa@aaaaaaa.aaa"')],
  ['Zoë Ünal', ...repeatTwice('a string of 8 characters, shaped "Aa? ?aaa"')],
  ['٣.١٤', ...repeatTwice('a string of 4 characters, shaped "?.??"')],
  ['a\nb\u0007', ...repeatTwice('a string of 4 characters, shaped "a?a?"')],
  ['x'.repeat(32), `the string "${'x'.repeat(32)}"`, `a string of 32 characters, shaped "${'a'.repeat(32)}"`],
  ['x'.repeat(40), ...repeatTwice(`a string of 40 characters, shaped "${'a'.repeat(40)}"`)],
  [`${'x'.repeat(38)}+1\n`, ...repeatTwice(`a string of 41 characters, shaped "${'a'.repeat(24)}…aaaaa+0?"`)],
];

const filter: DisclosureFilter = createDisclosureFilter(new Secrets(), undefined);

for (const [value, shownText, hiddenText, textWithoutWords] of valueRows) {
  test(`${JSON.stringify(value)} is described as: ${shownText}`, () => {
    expect(describeValue(value, publicSchema, filter)).toBe(shownText);
    // If no word may be shown, even some public values are described like hidden ones.
    expect(describeValue(value, publicSchema, rejectEveryWord)).toBe(textWithoutWords ?? hiddenText);
    for (const schema of hiddenSchemas) expect(describeValue(value, schema, filter)).toBe(hiddenText);
  });
}

const mediaTypeRows: [value: unknown, description: string][] = [
  [undefined, 'no Content-Type'],
  ['application/vnd.example.card+json', 'application/vnd.example.card+json'],
  ['application/4111111111111111', 'another Content-Type'],
  ['text/html; token=secret', 'another Content-Type'],
  [`text/${'x'.repeat(31)}`, 'another Content-Type'],
  ['secret/json', 'another Content-Type'],
];

for (const [value, description] of mediaTypeRows) {
  test(`the media type ${value} is described as: ${description}`, () => {
    expect(describeMediaType(value, filter)).toBe(description);
    expect(describeMediaType(value, rejectEveryWord)).toBe(
      value === undefined ? description : 'another Content-Type',
    );
  });
}

const withheldName = '(name withheld)';
const pointerRows: [pointer: string, redactedPointer: string][] = [
  ['/data/customers/17/uuid', '/data/customers/17/uuid'],
  ['/data/customers/17/customerName', '/data/customers/17/customerName'],
  ['/data/__typename', '/data/__typename'],
  ['/data/ada@example.com', `/data/${withheldName}`],
  ['/data/customers/ada@example.com/uuid', `/data/customers/${withheldName}/uuid`],
  ['/data/4111', `/data/${withheldName}`],
  ['/data/customers/0/constructor/name', '/data/customers/0/constructor/name'],
  ['/data/customers/45320000/uuid', '/data/customers/45320000/uuid'],
  ['/data/customers/491510000/uuid', `/data/customers/${withheldName}/uuid`],
  ['/a'.repeat(32), '/a'.repeat(32)],
  [`${'/a'.repeat(100_000)}`, `${'/a'.repeat(32)}/…`],
];

for (const [pointer, redactedPointer] of pointerRows) {
  test(`the pointer "${pointer.slice(0, 80)}" is redacted to: "${redactedPointer.slice(0, 80)}"`, () => {
    const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
    expect(redactPointer(operation, pointer, filter)).toBe(redactedPointer);
  });
}

test('places beyond the first ones are counted with them if these are alike, and separately otherwise', () => {
  const operation = loadContract().operations.find(({ id }) => id === 'listCustomers') as Operation;
  const parameters = { linked_source_type: 'Store' };
  const request = {
    operation: operation.id,
    parameters,
    configured: false,
    requestText: '',
    curlCommand: '',
  };
  const token = { token: 't', state: 'Active', default: true };
  const listActuals = (types: unknown[]) => {
    const tokens = types.map((token_type) => ({ ...token, token_type }));
    const customers = tokens.map((default_payment_token) =>
      createListedCustomer(1, { default_payment_token }),
    );
    const response = json(200, { code: 200, message: '', data: { customers } });
    const judgeOptions = { entries: [], secrets: new Secrets() };
    const { judged: result, observation } = observe(
      { operation, parameters, response },
      request,
      judgeOptions,
    );
    expect(result.broken).toMatchObject([{ violationCount: 25, elementCount: 25 }]);
    return observation.findings.map(({ actual, places }) => [actual, places]);
  };
  expect(listActuals(Array(25).fill(null))).toEqual([['null', 25]]);
  // A requested value is restricted only if it is an identifier.
  expect(listActuals(['Store', ...Array(24).fill(null)])).toEqual([
    ['the string "Store"', 1],
    ['null', 19],
    ['… and 5 more places, not listed one by one', 5],
  ]);
});

for (const [value, pattern] of [
  ['Zoë 12', '^[A-Z][a-z][^A-Za-z0-9 ] [0-9]{2}$'],
  ['a$!%&\u0007', '^[a-z][^A-Za-z0-9 ]{5}$'],
  ['x'.repeat(40), '^[a-z]{40}$'],
  ['x'.repeat(41), '^[a-z]{40}'],
] as const)
  test(`a ledger entry for ${JSON.stringify(value)} accepts ${pattern}`, () => {
    const [operation] = loadContract().operations as [Operation];
    const violation = { requirement: 'x', pointer: '/x', expected: '', value };
    expect(proposeAccepts(operation, violation, filter)).toEqual({ schema: { type: 'string', pattern } });
    expect(new RegExp(pattern, 'u').test(value)).toBe(true);
  });

const missing = 'nothing: it is missing';
type Accepts = LedgerEntry['accepts'];
const isMissing: Accepts = { missing: true };
const similarNames: [fields: Record<string, unknown>, actual: string, place: string, received: Accepts][] = [
  [{ dialCode: '+1' }, `${missing}; \`dialCode\` is there instead`, 'dialCode', { name: 'dialCode' }],
  [{ DIAL_CODE: '+1' }, `${missing}; \`DIAL_CODE\` is there instead`, 'DIAL_CODE', { name: 'DIAL_CODE' }],
  // An entry with that name would tolerate only a valid value.
  [{ dialCode: 1 }, `${missing}; \`dialCode\` is there instead`, 'dialCode', isMissing],
  [{ dial_codes: '+1' }, missing, 'dial_code', isMissing],
  // The name is withheld because a restricted value of the response has it as a word.
  [{ dialCode: '+1', name: 'dialcode' }, missing, 'customer', isMissing],
];

for (const [fields, actual, place, received] of similarNames)
  test(`beside ${JSON.stringify(fields)} the missing \`dial_code\` is described as: ${actual}`, () => {
    const operation = loadContract().operations.find(({ id }) => id === 'getCustomer') as Operation;
    const request = {
      operation: operation.id,
      parameters: {},
      configured: false,
      requestText: '',
      curlCommand: 'curl',
    };
    const { dial_code: _, ...customer } = createListedCustomer(1, fields);
    const response = json(200, { code: 200, message: '', data: { customer } });
    const options = { entries: [], secrets: new Secrets() };
    const { observation } = observe({ operation, parameters: {}, response }, request, options);
    const finding = observation.findings.find(({ kind }) => kind === 'violation');
    expect(finding).toMatchObject({
      pointer: '/data/customer/dial_code',
      actual,
      received,
    });
    const entry = {
      requirement: 'getCustomer/data/customer/dial_code',
      accepts: received,
      because: 'x',
      line: 1,
    };
    const fieldSchema = operation.schema.properties?.data?.properties?.customer?.properties?.dial_code;
    const entries = [{ ...entry, ...(fieldSchema && { fieldSchema }) }];
    const tolerated = observe({ operation, parameters: {}, response }, request, { ...options, entries });
    expect(tolerated.observation.findings.filter(({ kind }) => kind === 'violation')).toEqual([]);
    expect(finding?.repeat).toContain(place);
  });
