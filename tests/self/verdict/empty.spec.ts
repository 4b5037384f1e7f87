import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../../src/client/target.ts';
import { dataNotes } from '../../../src/verdict/verdict.ts';
import {
  addressesWith,
  exampleTarget,
  json,
  of,
  type Reply,
  rejecting,
  replying,
  resultsOf,
} from '../harness/examples.ts';

const otherCard: Reply = ({ operation }, usual) => {
  if (operation !== 'getCard') return usual;
  const text = Buffer.from(usual.body).toString();
  return json(
    200,
    JSON.parse(text, (name, value) => (name === 'id' ? firstOther : value)),
  );
};
const firstOther = '11111111-2222-4333-8444-555555555555';

const cases: [
  name: string,
  overrides: Partial<Target>,
  reply: Reply,
  address: string,
  reason: RegExp,
  notes: RegExp[],
][] = [
  [
    'no cards are configured',
    { identifiers: { CARD_IDS: [] } },
    (_, usual) => usual,
    'getCard/http/status',
    /no request of getCard was sent: no identifiers/,
    [/^CARD_IDS is not set/],
  ],
  [
    'a list is empty',
    {},
    replying(json(200, { code: 200, data: { customers: [] } }), of('listCustomers')),
    'listCustomers/data/customers/*',
    /no response held anything/,
    [/^no data: GET \/svc\/payment\/api\/v1\/openapi\/customers and 5 more returned an empty list$/],
  ],
  [
    'no users are configured, and a page beyond the last is empty',
    { identifiers: { USER_IDS: [] } },
    replying(
      json(200, { code: 200, data: { customers: [] } }),
      of('listCustomers', ({ parameters }) => Number(parameters.offset ?? 0) > 1),
    ),
    'getFeeRules/parameters/user_id',
    /no request that would show it was sent/,
    [/^USER_IDS is not set/],
  ],
  [
    'an operation answers nothing but errors',
    {},
    rejecting(500, of('getCard')),
    'getCard/code',
    /no request of this operation was answered with a success/,
    [],
  ],
  [
    'an operation answers nothing but errors in HTTP 200',
    {},
    replying(json(200, { code: 500, data: null }), of('getCard')),
    'getCard/data/card',
    /no request of this operation was answered with a success/,
    [],
  ],
  [
    'a card is not the requested one',
    {},
    otherCard,
    'getCard/rules/card-is-constant',
    /^no two responses held the requested record with values to compare$/,
    [],
  ],
  [
    'bodies cannot be judged',
    {},
    ({ operation }, usual) =>
      operation === 'getCard' ? { ...usual, body: Buffer.from('{"code":200,"code":200}') } : usual,
    'getCard/code',
    /^no response had a body that could be judged$/,
    [],
  ],
];

for (const [name, overrides, reply, address, reason, notes] of cases) {
  test(`where ${name}, what needs it is not exercised, and said so`, async () => {
    const results = await resultsOf(reply, overrides);
    const one = results.requirementResults.find((known) => known.address === address);
    expect(one).toMatchObject({ verdict: 'not exercised', reason: expect.stringMatching(reason) });
    const said = notes.map((note) => expect.stringMatching(note));
    expect(dataNotes(loadContract(), exampleTarget(overrides), results)).toEqual(said);
  });
}

test('behind the end of a list an error response is open, and the envelope of a success with another HTTP 2xx is broken', async () => {
  const isBehind = ({ parameters }: { parameters: Record<string, string> }) => Number(parameters.offset) > 0;
  const empty = { code: 200, message: 'ok', data: { customers: [] } };
  for (const [answer, violated] of [
    [json(400, { code: 400 }), []],
    [{ ...json(204, null), body: Buffer.from('') }, []],
    [json(201, empty), ['listCustomers/http/status']],
    [json(206, empty), ['listCustomers/http/status']],
  ] as const) {
    const list = replying(json(200, empty), of('listCustomers'));
    const behind = of('listCustomers', isBehind);
    const { requirementResults } = await resultsOf((asked, usual) =>
      behind(asked) ? answer : list(asked, usual),
    );
    expect(addressesWith(requirementResults, 'violation'), `HTTP ${answer.status}`).toEqual(violated);
  }
});
