import { test } from '@playwright/test';
import { attachment, label } from 'allure-js-commons';
import {
  ALLURE_HTTP_EXCHANGE_CONTENT_TYPE,
  ALLURE_HTTP_EXCHANGE_SCHEMA_VERSION,
  type HttpExchange,
} from 'allure-js-commons/http';
import type { Operation } from '../../schemas/contract.ts';
import type { Requirement } from '../../schemas/requirements.ts';
import type { Finding, Observation } from '../client/observation.ts';
import type { Standing } from './standing.ts';

const labelled = (name: string, description: string) => ({ type: `allure.label.${name}`, description });

/** What Allure shows of a requirement beside its sentence. */
export function annotations(requirement: Requirement, { tag, summary }: Operation, group: string) {
  const { address, level, source } = requirement;
  return [
    labelled('epic', tag),
    labelled('feature', summary),
    labelled('story', group),
    labelled('severity', level === 'MUST' ? 'critical' : 'normal'),
    { type: 'description', description: `${level}, section ${source} of the contract` },
    { type: 'tms', description: address },
  ];
}

/** Says what a run makes of a requirement; evidence where it is not simply kept. */
export async function report(standing: Standing, observations: Observation[]): Promise<void> {
  const { verdict, findings } = standing;
  if (verdict === 'pass') return;
  const { annotations: said } = test.info();
  await label('verdict', verdict);
  for (const { pointer, because } of findings.filter(({ kind }) => kind === 'deviation').slice(0, 3))
    said.push({ type: 'deviation', description: `${pointer}: ${because}` });
  const [first] = findings.filter(({ kind }) => kind === verdict);
  if (first && verdict !== 'blocked') await attachEvidence(first, observations);
}

async function attachEvidence(finding: Finding, observations: Observation[]): Promise<void> {
  const made = observations.find(({ exchange }) => exchange === finding.exchange);
  await attachment(finding.exchange, JSON.stringify(exchangeOf(finding, made)), {
    contentType: ALLURE_HTTP_EXCHANGE_CONTENT_TYPE,
    fileExtension: 'httpexchange',
  });
}

/** The exchange as far as it may be shown: of the body, only the place that was found, and what stood there. */
function exchangeOf(finding: Finding, made: Observation | undefined): HttpExchange {
  const { exchange, pointer, expected, actual, repeat } = finding;
  const [method = '', url = ''] = exchange.split(' ');
  const body = { place: pointer, expected, actual, repeat, note: 'Nothing else of the answer is kept.' };
  return {
    schemaVersion: ALLURE_HTTP_EXCHANGE_SCHEMA_VERSION,
    request: { method, url: `{BASE_URL}${url}`, headers: [{ name: 'Accept', value: 'application/json' }] },
    ...(made?.status === undefined
      ? { error: { message: made?.blocked ?? actual } }
      : {
          response: {
            status: made.status,
            body: {
              contentType: 'application/json',
              encoding: 'utf8',
              value: JSON.stringify(body, null, 2),
              ...(made.bytes === undefined ? {} : { size: made.bytes }),
              truncated: true,
            },
          },
        }),
  };
}
