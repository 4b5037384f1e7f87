import { ALLURE_HTTP_EXCHANGE_SCHEMA_VERSION, type HttpExchange } from 'allure-js-commons/http';
import type { Finding, Observation } from '../src/redact/observation.ts';
import { printable } from '../src/redact/printable.ts';

type Exchange = Pick<Observation, 'exchange' | 'status' | 'bytes' | 'blocked' | 'findings'>;

/** What an attachment holds: `test.info().attach(name, options)`. */
export type Evidence = [name: string, options: { body: string; contentType: string }];

/** What is kept of an exchange, redacted. Allure shows it as a request with its response, other reporters as JSON. */
export const evidenceOf = (observation: Exchange): Evidence => [
  observation.exchange,
  { body: printable(JSON.stringify(httpOf(observation))), contentType: 'application/json' },
];

/** Evidence of one finding, in the observation that it is of. */
export function evidenceOfFinding(finding: Finding, observations: Observation[]): Evidence {
  const observation = observations.find(({ findings }) =>
    findings.some(({ exchange }) => exchange === finding.exchange),
  );
  return evidenceOf({ ...observation, exchange: finding.exchange, findings: [finding] });
}

/** The exchange as far as it may be shown: of the body, only the places that were found, and what stood there. */
function httpOf({ exchange, status, bytes, blocked = 'no response', findings }: Exchange): HttpExchange {
  const [, method = '', url = ''] = /^(\S+) (.*)$/s.exec(exchange) ?? [];
  const found = findings.map(({ requirement, pointer: place, expected, actual, repeat }) => ({
    ...{ requirement, place, expected, actual, repeat },
  }));
  const value = JSON.stringify({ found, note: 'Nothing else of the answer is kept.' }, undefined, '  ');
  const body = { contentType: 'application/json', encoding: 'utf8', value, truncated: true } as const;
  return {
    schemaVersion: ALLURE_HTTP_EXCHANGE_SCHEMA_VERSION,
    request: { method, url: `{BASE_URL}${url}`, headers: [{ name: 'Accept', value: 'application/json' }] },
    ...(status === undefined
      ? { error: { message: blocked } }
      : { response: { status, body: { ...body, ...(bytes === undefined ? {} : { size: bytes }) } } }),
  };
}
