import { test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import type { Alter } from '../../../mock/server.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import { type Environment, targetOf } from '../harness/whole-run.ts';
import type { Canaries } from '../redaction/canaries.ts';
import { fileOf } from '../redaction/canary-run.ts';
import { signing } from '../redaction/canary-settings.ts';

/** A target that shards judge, and how they are configured, with secrets that read like words in every place for one. */
export function shardTarget(canaries: Canaries) {
  const secrets = secretsOf(canaries);
  const below = (name: string) => test.info().outputPath(secrets.key, name);
  return {
    alter: alterWith(secrets),
    /** Path of a folder of the test. */
    below,
    /** Of a run against a mock, with reports in a folder of that name. */
    settings: (url: string, name: string): Environment => ({
      ...targetOf(url),
      API_HEADERS: JSON.stringify({
        'X-Api-Key': secrets.key,
        Authorization: `Basic ${Buffer.from(`user:${secrets.password}`).toString('base64')}`,
        Cookie: `session=${secrets.cookie}`,
      }),
      AUTH_MODULE: fileOf('sign.mjs', signing),
      SIGNATURE: secrets.signature,
      TARGET_NAME: `staging-${secrets.key}`,
      REPORTS_DIR: below(name),
    }),
  };
}

const secretsOf = (canaries: Canaries) => ({
  /** Is in the name of the target and in the path of its reports as well. */
  key: canaries.phrase('API key in words'),
  password: canaries.phrase('password in words'),
  cookie: canaries.phrase('own cookie in words'),
  signature: canaries.phrase('signature in words'),
});

/**
 * Violations in two operations, a fault that is tolerated, and one operation down; and secrets where words and names of
 * fields may be shown.
 */
function alterWith({ password, cookie, signature }: ReturnType<typeof secretsOf>): Alter {
  const altered = inTurn(
    altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 1)),
    altering('getCard', set('data/card/limits/0/period', 7)),
    altering('getCard', set('data/card/limits/0/status', password)),
    altering('listCustomers', set(`data/${cookie}`, 1)),
    altering('listCustomers', set(`${signature.replace('-', '_')}_count`, 1)),
  );
  return (answer, request) =>
    request.operation === 'getCustomer' ? { ...answer, status: 503 } : altered(answer, request);
}
