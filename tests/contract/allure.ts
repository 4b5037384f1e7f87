import { test } from '@playwright/test';
import { attachment, label } from 'allure-js-commons';
import {
  ALLURE_HTTP_EXCHANGE_CONTENT_TYPE,
  ALLURE_HTTP_EXCHANGE_SCHEMA_VERSION,
  type HttpExchange,
} from 'allure-js-commons/http';
import type { Finding, Observation } from '../../src/redact/observation.ts';
import { printable } from '../../src/redact/printable.ts';
import type { RequirementResult } from '../../src/verdict/evaluate.ts';

/** Says in Allure what a run makes of a requirement that is not simply kept, with evidence. */
export async function report(result: RequirementResult, observations: Observation[]): Promise<void> {
  const { verdict, findings } = result;
  const { annotations } = test.info();
  await label('verdict', verdict);
  for (const { pointer, because } of findings.filter(({ kind }) => kind === 'deviation').slice(0, 3))
    annotations.push({ type: 'deviation', description: `${pointer}: ${because}` });
  const [first] = findings.filter(({ kind }) => kind === verdict);
  if (first && verdict !== 'blocked') await attachEvidence(first, observations);
}

async function attachEvidence(finding: Finding, observations: Observation[]): Promise<void> {
  const observation = observations.find(
    ({ exchange, findings }) =>
      exchange === finding.exchange || findings.some((one) => one.exchange === finding.exchange),
  );
  await attachment(finding.exchange, printable(JSON.stringify(exchangeOf(finding, observation))), {
    contentType: ALLURE_HTTP_EXCHANGE_CONTENT_TYPE,
    fileExtension: 'httpexchange',
  });
}

/** The exchange as far as it may be shown: of the body, only the place that was found, and what stood there. */
function exchangeOf(finding: Finding, observation: Observation | undefined): HttpExchange {
  const { exchange, pointer, expected, actual, repeat } = finding;
  const [, method = '', url = ''] = /^(\S+) (.*)$/s.exec(exchange) ?? [];
  const body = { place: pointer, expected, actual, repeat, note: 'Nothing else of the answer is kept.' };
  return {
    schemaVersion: ALLURE_HTTP_EXCHANGE_SCHEMA_VERSION,
    request: { method, url: `{BASE_URL}${url}`, headers: [{ name: 'Accept', value: 'application/json' }] },
    ...(observation?.status === undefined
      ? { error: { message: observation?.blocked ?? actual } }
      : {
          response: {
            status: observation.status,
            body: {
              contentType: 'application/json',
              encoding: 'utf8',
              value: JSON.stringify(body, null, 2),
              ...(observation.bytes === undefined ? {} : { size: observation.bytes }),
              truncated: true,
            },
          },
        }),
  };
}
