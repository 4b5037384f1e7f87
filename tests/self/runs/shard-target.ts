import { test } from '@playwright/test';
import { altering, set } from '../../../mock/edits.ts';
import type { Alter } from '../../../mock/server.ts';
import { inTurn } from '../../../mock/variants/variant.ts';
import { type Environment, targetOf } from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';
import { fileOf } from '../redaction/canary-run.ts';
import { signing } from '../redaction/canary-settings.ts';

/** Violations in two operations, a fault that is tolerated, and one operation down. */
export const alter: Alter = async (answer, request) => {
  const broken = altering('getCard', set('data/card/limits/0/period', 7));
  const odd = altering('getFeeRules', set('data/fee_rules/0/fixed_fee', 1));
  if (request.operation === 'getCustomer') return { ...answer, status: 503 };
  return sayingSecrets(await broken(await odd(answer, request), request), request);
};

/** Secrets that read like words, and are searched for in what is rendered. */
export const canaries = new Canaries();
/** A secret that is in the name of the target and in the path of its reports as well. */
const key = canaries.phrase('API key in words');
/** Secrets that the target says where words and names of fields may be shown. */
const [password, cookie, signature] = ['password', 'own cookie', 'signature'].map((place) =>
  canaries.phrase(`${place} in words`),
) as [string, string, string];
const sayingSecrets = inTurn(
  altering('getCard', set('data/card/limits/0/status', password)),
  altering('listCustomers', set(`data/${cookie}`, 1)),
  altering('listCustomers', set(`${signature.replace('-', '_')}_count`, 1)),
);

/** Path of a folder of the test. */
export const below = (name: string) => test.info().outputPath(key, name);

/** A run against a target at `url`, with reports in a folder of that name. */
export const settings = (url: string, name: string): Environment => ({
  ...targetOf(url),
  API_HEADERS: JSON.stringify({
    'X-Api-Key': key,
    Authorization: `Basic ${Buffer.from(`user:${password}`).toString('base64')}`,
    Cookie: `session=${cookie}`,
  }),
  AUTH_MODULE: fileOf('sign.mjs', signing),
  SIGNATURE: signature,
  TARGET_NAME: `staging-${key}`,
  REPORTS_DIR: below(name),
});
