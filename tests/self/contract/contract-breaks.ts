/** A mistake: what is replaced by what, a text in whose line the mistake is then, and what is said of it. */
export type Break = [name: string, old: string, by: string, at: string, says: RegExp];

const rules: Break[] = [
  ['a bracket too many', 'operations: [getCard]', 'operations: [getCard]]', 'operations: [getCard]]', /]/],
  [
    'an unknown operation',
    'operations: [getCard]',
    'operations: [getCrad]',
    'operations: [getCrad]',
    /getCrad/,
  ],
  [
    'no statement',
    '  statement: no object of the body has a key twice\n',
    '',
    '- address: rules/unique-keys',
    /unique-keys: .*"statement" is missing/,
  ],
  ['no source', '  source: "2"\n', '', '- address: rules/declared-fields', /declared-fields: .*"source"/],
  ['a section that is a number', 'source: "2"', 'source: 2', 'source: 2\n', /source: must be text/],
  [
    'no check',
    '  check: { finiteNumbers: true }\n',
    '',
    '- address: rules/finite-numbers',
    /"check" is missing/,
  ],
  [
    'two checks in one',
    '{ uniqueKeys: true }',
    '{ uniqueKeys: true, finiteNumbers: true }',
    'check: { uniqueKeys: true, f',
    /finiteNumbers uniqueKeys/,
  ],
  ['an unknown level', 'level: SHOULD', 'level: OUGHT', 'OUGHT', /MUST, SHOULD/],
  ['a parameter that is not there', 'echoes: id', 'echoes: ident', 'echoes: ident', /parameter ident/],
  [
    'a condition on no parameter',
    'user_id, when: { type:',
    'user_id, when: { kind:',
    'when: { kind:',
    /parameter kind/,
  ],
  [
    'a pointer to nothing',
    '/data/card/id',
    '/data/card/ident',
    '/data/card/ident',
    /field \/data\/card\/ident/,
  ],
  [
    'an inherited name for a field',
    '/data/card/id',
    '/data/card/constructor',
    '/data/card/constructor',
    /no field/,
  ],
  [
    'a value of a field that is not there',
    'presentWith: { token_type:',
    'presentWith: { type:',
    'check:\n    { presentWith: { type:',
    /listCustomers has no field .*default_payment_token\/type; correct the name/,
  ],
  [
    'a value that a field does not have',
    'token_type: CreditCard',
    'token_type: CreditCart',
    'check:\n    { presentWith: { token_type: CreditCart',
    /listCustomers has no value CreditCart of .*default_payment_token\/token_type; correct the name/,
  ],
  [
    'a rule twice',
    'rules/finite-numbers',
    'rules/unique-keys',
    '- address: rules/unique-keys\n  level: MUST\n  statement: each number',
    /unique-keys: .*already/,
  ],
];

const questions: Break[] = [
  [
    'an id twice',
    'id: accept-any',
    'id: write-operations',
    'id: write-operations\n  section: "1"\n  question: What is',
    /is taken/,
  ],
  [
    'no question mark',
    'operations are there?',
    'operations are there.',
    'operations are there.',
    /question mark/,
  ],
  ['a wrong section', 'section: "1"', 'section: "1.2.3"', '"1.2.3"', /section/],
  ['no answers', 'answers: [not to be found out by reading]', 'answers: []', 'answers: []', /answers/],
  ['an alias of nothing', 'answers: *accept', 'answers: *accepts', '*accepts', /\*accepts/],
];

/** Mistakes in the other files of `spec/`. */
export const breaks: Record<'requirements.yaml' | 'questions.yaml', Break[]> = {
  'requirements.yaml': rules,
  'questions.yaml': questions,
};
