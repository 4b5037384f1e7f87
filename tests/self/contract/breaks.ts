import type { SpecTexts } from '../../../schemas/contract/contract.ts';

/**
 * Text to replace in a file of `spec/`, its replacement, and the expected error. The error must name the line of the
 * changed file in which `reportedText` begins; by default, the line in which the replacement begins.
 */
type SpecMistake = [oldText: string, newText: string, messagePattern: RegExp, reportedText?: string];

const token = '$ref: "#/components/schemas/PaymentToken"\n';
const [message, secret] = ['Message:\n      type:', '{ category: secret'];
const decimal = '      $ref: "#/components/schemas/Decimal"\n';

export const mistakesByFile: Record<Exclude<keyof SpecTexts, 'ledger.yaml'>, SpecMistake[]> = {
  'openapi.yaml': [
    ['  title: Lookup API', '\ttitle: Lookup API', /tab/i],
    ['openapi: 3.1.0', 'openapi: 3.1.0\nopenapi: 3.1.0', /unique/, 'openapi: 3.1.0\ninfo'],
    ['openapi: 3.1.0', 'openapi: 4.0.0', /3\.1/],
    ['getCard', 'get card', /operationId.*letters and digits/],
    ['    get:\n      operationId: getCard', '    post:\n      operationId: getCard', /"post"/],
    ['in: query', 'in: header', /path, query/],
    ['sensitivity: confidential', 'sensitivity: secret', /sensitivity.*public/],
    ['responses:\n', 'responses:\n        "404": { description: x, content: {} }\n', /one response/],
    ['"200":', '"404":', /response|pattern/, '      responses:'],
    ['type: integer\n', 'type: strng\n', /: `strng` is no type; use one of string, number, /],
    [`${message} string`, `${message} [strong]`, /`strong` is no type/, 'type: [strong]'],
    ['format: uuid', 'format: uuuid', /"uuuid"/, '    Uuid:'],
    ['pattern: ^[0-9]{6}$', 'pattern: "^[0-9"', /\^\[0-9/, '        first_6_digits:\n'],
    ['required: [fixed_fee,', 'required: [fee,', /"fee"/, '    FeeRule:'],
    ['        billing_currency:\n', '        other: 7\n        billing_currency:\n', /must be an object/],
    [
      '    CardLimit:\n',
      '    CardLimit:\n      then: { required: [period] }\n      if: { required: [status] }\n',
      /: `if` is not supported, since its rule has no address; add a rule to /,
      'if: { required: [status]',
    ],
    [
      '    CardLimit:\n',
      '    CardLimit:\n      dependentRequired: { status: [period] }\n',
      /: `dependentRequired` is not supported/,
      'dependentRequired',
    ],
    [
      `${secret}, sensitivity: restricted }`,
      `${secret} }`,
      /x-data-classification/,
      '        token:\n          type',
    ],
    ['schemas/CardLimit"', 'schemas/CardLimits"', /CardLimits refers to nothing/],
    ['#/components/schemas/CardLimit"', 'other.yaml#/CardLimit"', /begin with #/],
    ['    Decimal:\n', `    Decimal:\n${decimal}`, /Decimal refers to itself/, `${decimal}      title`],
    // Circular references.
    ['holder_name:\n', `holder_name:\n          ${token}`, /itself/, `${token}          `],
  ],
  'requirements.yaml': [
    ['operations: [getCard]', 'operations: [getCard]]', /]/],
    ['operations: [getCard]', 'operations: [getCrad]', /getCrad/],
    ['source: "2"', 'source: 2', /source: must be text/],
    ['{ uniqueKeys: true }', '{ uniqueKeys: true, finiteNumbers: true }', /finiteNumbers uniqueKeys/],
    ['level: SHOULD', 'level: OUGHT', /MUST, SHOULD/],
    ['echoes: id', 'echoes: ident', /parameter ident/],
    ['user_id, when: { type:', 'user_id, when: { kind:', /parameter kind/],
    ['/data/card/id', '/data/card/ident', /field \/data\/card\/ident/],
    ['/data/card/id', '/data/card/constructor', /no field/],
    [
      '{ token_type:',
      '{ type:',
      /listCustomers has no field .*token\/type; correct/,
      'check:\n    { presentWith: { type',
    ],
    [
      'token_type: CreditCard',
      'token_type: CreditCart',
      /has no value CreditCart of .*type; correct/,
      'check:\n    { presentWith: { token_type: CreditCart',
    ],
    ['rules/finite-numbers', 'rules/unique-keys', /unique-keys: .*already/],
  ],
  'questions.yaml': [
    ['id: accept-any', 'id: write-operations', /is taken/],
    ['operations are there?', 'operations are there.', /question mark/],
    ['section: "1"', 'section: "1.2.3"', /section/],
    ['answers: [not to be found out by reading]', 'answers: []', /answers/],
    ['answers: *accept', 'answers: *accepts', /alias.*accepts/, '# yaml'],
  ],
};
