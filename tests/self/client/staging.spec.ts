import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@playwright/test';
import { applyInOrder } from '../harness/edits.ts';
import { signatureGateway, throttlingGateway } from '../harness/gateway.ts';
import { runAgainst, writeTestFile } from '../harness/whole-run.ts';
import { makeCertificates } from './certificates.ts';

test.setTimeout(120_000);

const pem = { type: 'pkcs8', format: 'pem' } as const;

test('a run against a staging environment that NODE_EXTRA_CA_CERTS trusts is green, and lists every retry', async () => {
  const { ca, server, client } = await makeCertificates();
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const signatures = signatureGateway('app-1', publicKey.export({ type: 'spki', format: 'pem' }).toString());
  const run = await runAgainst(
    {
      https: { ...server, ca: ca.cert, requestCert: true },
      alter: applyInOrder(
        signatures,
        throttlingGateway(() => '0'),
      ),
    },
    {
      // Read by Node itself, when a process starts.
      NODE_EXTRA_CA_CERTS: writeTestFile('ca.pem', ca.cert),
      CLIENT_CERT: writeTestFile('client.pem', `${client.cert}\n${client.key}`),
      AUTH_MODULE: 'src/client/examples/rsa-signature.mjs',
      APP_ID: 'app-1',
      PRIVATE_KEY_FILE: writeTestFile('key.pem', privateKey.export(pem).toString()),
      PROBES: 'off',
    },
  );
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass' } });
  const distinct = new Set(run.requests.map(({ path }) => path)).size;
  const note = `retried ${distinct} times: HTTP 429 with Retry-After`;
  expect(run.conformance?.notes).toEqual([note]);
  expect(run.output).toContain(note);
  expect(run.conformance?.requests).toBe(run.requests.length);
});
