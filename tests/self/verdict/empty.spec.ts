import { expect, test } from '@playwright/test';
import { loadContract } from '../../../schemas/contract/contract.ts';
import { collectRunNotes } from '../../../src/verdict/verdict.ts';
import {
  evaluateReplies,
  exampleTarget,
  isFor,
  json,
  type Reply,
  rejecting,
  replying,
} from '../harness/examples.ts';

const replyUnchanged: Reply = (_, response) => response;
const emptyList = json(200, { code: 200, data: { customers: [] } });
const isLaterPage = isFor('listCustomers', ({ parameters }) => Number(parameters.offset ?? 0) > 1);
const replyWithErrorCode = replying(json(200, { code: 500, data: null }), isFor('getCard'));
const replyWithErrors: Reply = (request, response) => {
  const [firstCard] = exampleTarget().identifiers.CARD_IDS ?? [];
  const isFirstCard = request.parameters.id === firstCard;
  const reply = isFirstCard ? rejecting(500, isFor('getCard')) : replyWithErrorCode;
  return reply(request, response);
};
const editBody =
  (editedOperation: string, edit: (body: string) => string): Reply =>
  ({ operation }, response) => {
    if (operation !== editedOperation) return response;
    const editedBody = edit(String(response.body));
    return { ...response, body: Buffer.from(editedBody) };
  };
const editCardBody = (edit: (body: string) => string) => editBody('getCard', edit);
const replyOtherReferenceNumber = editBody('getCustomer', (body) =>
  body.replace(/"reference_number":"/, '$&other-'),
);
const replyDuplicateKeys = editCardBody(() => '{"code":200,"code":200}');
const replyOtherCard = editCardBody((body) =>
  body.replaceAll(/"id":"[^"]+"/g, '"id":"11111111-2222-4333-8444-555555555555"'),
);

const replyEmptyList = replying(emptyList, isFor('listCustomers'));
const replyNullList = replying(json(200, { code: 200, data: { customers: null } }), isFor('listCustomers'));
const replyEmptyLaterPages = replying(emptyList, isLaterPage);
const userIdAddress = 'getFeeRules/parameters/user_id';
const unansweredReason = 'no response decides whether the target meets it';
const noSuccessReason = 'no response of this operation is a success';
const noTwinReason = 'no lookup shows a record that an earlier response shows, with values to compare';
const nothingToJudgeReason = 'no response contains what the requirement is about';
const replyCreated = replying(json(201, { code: 200, message: '', data: { card: {} } }), isFor('getCard'));

const caseRows: [name: string, reply: Reply, without: string[], address: string, reason: string][] = [
  [
    'no cards are configured',
    replyUnchanged,
    ['CARD_IDS'],
    'getCard/http/status',
    'no request of getCard was sent',
  ],
  ['a list is empty', replyEmptyList, [], 'listCustomers/data/customers/*', nothingToJudgeReason],
  ['a list is null', replyNullList, [], 'listCustomers/data/customers/*', nothingToJudgeReason],
  [
    'a page beyond the last is, and no users are configured',
    replyEmptyLaterPages,
    ['USER_IDS'],
    userIdAddress,
    unansweredReason,
  ],
  [
    'all answers are errors',
    rejecting(500, isFor('getCard')),
    [],
    'getCard/code',
    'responses break getCard/http/status, here with HTTP 500',
  ],
  [
    'some answers are errors, and no other has a card',
    replyWithErrors,
    [],
    'getCard/data/card',
    noSuccessReason,
  ],
  ['all answers are errors in HTTP 200', replyWithErrorCode, [], 'getCard/data/card', noSuccessReason],
  [
    'each lookup contradicts the list by another rule',
    replyOtherReferenceNumber,
    [],
    'getCustomer/rules/token-as-listed',
    'no lookup shows a record that an earlier response shows, with values to compare',
  ],
  ['a card is not the requested one', replyOtherCard, [], 'getCard/rules/card-is-constant', noTwinReason],
  [
    'bodies have a key twice',
    replyDuplicateKeys,
    [],
    'getCard/code',
    'no body is judged, because responses break getCard/rules/unique-keys, here with',
  ],
  [
    'bodies are no JSON',
    editCardBody(() => '{'),
    [],
    'getCard/code',
    'no body is judged, because responses break getCard/http/json, here with',
  ],
  [
    'all answers have HTTP 201',
    replyCreated,
    [],
    'getCard/code',
    'no body is judged, because responses break getCard/http/status, here with HTTP 201',
  ],
];

for (const [name, reply, missingVariables, address, reason] of caseRows)
  test(`a requirement is not exercised, with the reason, if ${name}`, async () => {
    const overrides = { identifiers: Object.fromEntries(missingVariables.map((variable) => [variable, []])) };
    const results = await evaluateReplies(reply, overrides);
    const result = results.requirementResults.find((candidate) => candidate.address === address);
    expect(result).toMatchObject({ verdict: 'not exercised', reason: expect.stringContaining(reason) });
    const expectedNotes = missingVariables.map((variable) =>
      expect.stringContaining(`${variable} is not set`),
    );
    expect(collectRunNotes(loadContract(), exampleTarget(overrides), results)).toEqual(expectedNotes);
  });

test('a variable that names a file is set, even if no line of the file was sent', async () => {
  const target = exampleTarget({ identifiers: { CARD_IDS: [] }, identifierFiles: { CARD_IDS: 'cards.txt' } });
  const results = await evaluateReplies(replyCreated, { identifiers: { CARD_IDS: [] } });
  expect(collectRunNotes(loadContract(), target, results).join()).not.toContain('CARD_IDS is not set');
});
