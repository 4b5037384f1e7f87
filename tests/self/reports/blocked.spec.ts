import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from '@playwright/test';
import { knownIdentifiers } from '../../../mock/operations.ts';
import type { Alter } from '../../../mock/server.ts';
import { formatJUnit } from '../../../reports/junit.ts';
import { listAnnotations } from '../../../reports/lines.ts';
import { judgeMock } from '../harness/judge-mock.ts';
import { formatOutputs } from './report-outputs.ts';

const { CARD_IDS: cards = [] } = knownIdentifiers;
const lastCard = cards.at(-1);
const isOfLastCard = (parameters: Record<string, string>) => parameters.id === lastCard;

const answerLate: Alter = async (response, { parameters }) => {
  if (isOfLastCard(parameters)) await pause(1500);
  return response;
};
const answerLong: Alter = (response, { parameters }) =>
  isOfLastCard(parameters) ? { ...response, raw: ' '.repeat(300_000) } : response;

const causes: [name: string, alter: Alter][] = [
  ['a time-out', answerLate],
  ['a body that is too large', answerLong],
];
for (const [name, alter] of causes) {
  test(`each report names the request that is blocked by ${name}, its id, and the command that repeats it`, async () => {
    const run = await judgeMock({ alter }, { timeoutMs: 600, maxBodyBytes: 200_000 });
    const blocked = run.requirements.filter(({ verdict }) => verdict === 'blocked');
    expect(blocked.map(({ address }) => address)).toEqual(['getCard/http/status']);
    const [finding] = run.findings.filter(({ kind }) => kind === 'blocked');
    const { exchange = '', id = '', repeat = '' } = finding ?? {};
    const index = cards.length - 1;
    expect(exchange).toContain(`{CARD_IDS[${index}]}`);
    expect(repeat).toMatch(/^curl /);
    const outputs = { ...formatOutputs(run), junit: formatJUnit(run) };
    for (const [output, text] of Object.entries(outputs))
      for (const fact of [blocked[0]?.reason ?? '', exchange, id, repeat])
        expect(removeEscapes(text), output).toContain(fact);
    expect(outputs.junit).toContain(`how often in 1 of ${index + 1} requests`);
    // No gate fails, so this annotation is the only one of a red job.
    const text = expect.stringContaining(` requirements cannot be judged: ${blocked[0]?.reason}`);
    expect(listAnnotations(run)).toEqual([{ title: 'run', text }]);
  });
}

const removeEscapes = (output: string): string =>
  output
    .replaceAll('<wbr>', '')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replaceAll('\\', '');
