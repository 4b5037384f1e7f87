import { type Choices, defaultChoices } from '../../../mock/choices.ts';
import { fullRecords, operations } from '../../../mock/operations.ts';
import type { Alter, MockRequest } from '../../../mock/server.ts';
import { loadContract } from '../../../schemas/contract/contract.ts';
import type { Observation } from '../../../src/redact/observation.ts';
import { exampleTarget, json, observationsOf, type Reply } from '../harness/examples.ts';
import type { Fault } from './faults/fault.ts';

/** Requests of one operation that both the mock and the observations tell from its others, by some parameters. */
export interface RequestSelector {
  operation: string;
  /** What is sent; undefined where the parameter is left out. */
  sent: Record<string, string | undefined>;
  /** What observations show of that. */
  shown: Record<string, string | undefined>;
}

/** Pages are short where that does not matter: hundreds of runs are to be quick. */
export const short: Pick<Choices, 'defaultLimit'> = { defaultLimit: 10 };

/** Whom a proof asks for: few, and with every field that there is. */
export const asked = fullRecords;

/** The mock without network. */
const mockReply: Reply = ({ operation, parameters }, usual) => {
  const answer = answerTo(operation, parameters);
  return answer ? json(answer.status, answer.body) : usual;
};

const answerTo = (operation: string, parameters: Record<string, string>) =>
  operations.find((one) => one.operation === operation)?.answer(parameters, { ...defaultChoices, ...short });

const observations = await observationsOf(mockReply, exampleTarget({ identifiers: asked, maxPages: 1 }));

/** The requests of the exchanges files that do not depend on an earlier answer. */
export const requestSelectors: RequestSelector[] = observations
  .filter(({ again, requests }) => !again && requests > 0)
  .flatMap(selectorsOf);

function selectorsOf({ operation, parameters: shown }: Observation): RequestSelector[] {
  const declared = loadContract().operations.find(({ id }) => id === operation)?.parameters ?? [];
  const all = declared.map(({ name, schema }) => {
    const label = Object.hasOwn(shown, name) ? shown[name] : undefined;
    return { name, label, values: [undefined, String(short.defaultLimit), ...(schema.enum ?? [])] };
  });
  const fixed = all.every(({ label, values }) => values.includes(label) || identifierOf(label));
  if (!fixed) return [];
  const sent = all.map(({ name, label }) => [name, identifierOf(label) ?? label]);
  const labels = all.map(({ name, label }) => [name, label]);
  return [{ operation, sent: Object.fromEntries(sent), shown: Object.fromEntries(labels) }];
}

/** The identifier that a label such as `{CARD_IDS[0]}` stands for. */
function identifierOf(label = ''): string | undefined {
  const [, variable = '', index] = /^\{(\w+)\[(\d+)\]\}$/.exec(label) ?? [];
  return asked[variable]?.[Number(index)];
}

const agree = (some: RequestSelector['sent'], parameters: RequestSelector['sent']) =>
  Object.entries(some).every(([name, value]) => parameters[name] === value);

/** Whether a request that was sent is one of a selector. */
export const isSentBy = (
  { operation, sent }: Pick<RequestSelector, 'operation' | 'sent'>,
  request: { operation: string | undefined; parameters: RequestSelector['sent'] },
): boolean => request.operation === operation && agree(sent, request.parameters);

/** Whether an observation is one of a selector. */
export const isOf = ({ operation, shown }: RequestSelector, observation: Observation): boolean =>
  observation.operation === operation && agree(shown, observation.parameters);

/** A fault that shows in the answers to a selector alone. */
export const onlyFor =
  (
    { alter }: Pick<Fault, 'alter'>,
    { operation, sent }: Pick<RequestSelector, 'operation' | 'sent'>,
  ): Alter =>
  (answer, request) =>
    isSentBy({ operation, sent }, request) ? alter(answer, request) : answer;

/** Whether a fault changes anything in the answers to a selector: not every record has every field. */
export function changes({ alter }: Fault, selector: RequestSelector): boolean {
  const { request, usual } = usualOf(selector);
  return JSON.stringify(alter(JSON.parse(usual), request)) !== usual;
}

const known = new Map<RequestSelector, { request: MockRequest; usual: string }>();

/** A request of a selector, and how the mock answers it. */
function usualOf(selector: RequestSelector) {
  const found = known.get(selector) ?? ask(selector);
  known.set(selector, found);
  return found;
}

function ask({ operation, sent }: RequestSelector) {
  const given = Object.entries(sent).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const parameters: Record<string, string> = Object.fromEntries(given);
  const usual = JSON.stringify(answerTo(operation, parameters));
  return { request: { operation, parameters } as unknown as MockRequest, usual };
}
