import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { collectDataNotes } from '../../../src/verdict/verdict.ts';
import { exampleTarget, json, of, type Reply, rejecting, replying, resultsOf } from '../harness/examples.ts';

const usual: Reply = (_, answer) => answer;
const emptyList = json(200, { code: 200, data: { customers: [] } });
const isBehind = of('listCustomers', ({ parameters }) => Number(parameters.offset ?? 0) > 1);
const failed = replying(json(200, { code: 500, data: null }), of('getCard'));
const text = (edit: (text: string) => string): Reply => {
  return ({ operation }, answer) =>
    operation === 'getCard' ? { ...answer, body: Buffer.from(edit(String(answer.body))) } : answer;
};
const unreadable = text(() => '{"code":200,"code":200}');
const otherCard = text((body) =>
  body.replaceAll(/"id":"[^"]+"/g, '"id":"11111111-2222-4333-8444-555555555555"'),
);

const empty = replying(emptyList, of('listCustomers'));
const noList = replying(json(200, { code: 200, data: { customers: null } }), of('listCustomers'));
const endsEmpty = replying(emptyList, isBehind);
const userId = 'getFeeRules/parameters/user_id';
const notShown = 'no request that would show it was answered';
const noSuccess = 'no request of this operation was answered with a success';
const alone = 'no two responses held the same record with values to compare';
const nothing = 'no response held anything to judge it by';
const created = replying(json(201, { code: 200, message: '', data: { card: {} } }), of('getCard'));

/** What is answered, without which identifiers, and why a requirement is not exercised. */
const cases: [name: string, reply: Reply, without: string[], address: string, reason: string][] = [
  ['no cards are configured', usual, ['CARD_IDS'], 'getCard/http/status', 'no request of getCard was sent'],
  ['a list is empty', empty, [], 'listCustomers/data/customers/*', nothing],
  ['a list is null', noList, [], 'listCustomers/data/customers/*', nothing],
  ['a page beyond the last is, and no users are configured', endsEmpty, ['USER_IDS'], userId, notShown],
  ['all answers are errors', rejecting(500, of('getCard')), [], 'getCard/code', noSuccess],
  ['all answers are errors in HTTP 200', failed, [], 'getCard/data/card', noSuccess],
  ['a card is not the requested one', otherCard, [], 'getCard/rules/card-is-constant', alone],
  ['bodies cannot be judged', unreadable, [], 'getCard/code', nothing],
  ['all answers have HTTP 201', created, [], 'getCard/code', nothing],
];

for (const [name, reply, without, address, reason] of cases)
  test(`where ${name}, what needs it is not exercised, and said so`, async () => {
    const overrides = { identifiers: Object.fromEntries(without.map((variable) => [variable, []])) };
    const results = await resultsOf(reply, overrides);
    const one = results.requirementResults.find((known) => known.address === address);
    expect(one).toMatchObject({ verdict: 'not exercised', reason: expect.stringContaining(reason) });
    const said = without.map((variable) => expect.stringContaining(`${variable} is not set`));
    expect(collectDataNotes(loadContract(), exampleTarget(overrides), results)).toEqual(said);
  });
