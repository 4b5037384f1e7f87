import { createPrivateKey } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { type MockOptions, startMock } from '../../../mock/server.ts';
import { runInProcess, runInProcessAgainst } from '../harness/in-process-run.ts';
import { addressesOf, targetOf, variablesOfOneEach, type WholeRun } from '../harness/whole-run.ts';
import { Canaries } from '../redaction/canaries.ts';
import { type Certificates, makeCertificates } from './certificates.ts';
import { type ForwardProxy, startForwardProxy } from './forward-proxy.ts';

test.setTimeout(120_000);

let certificates: Certificates;

test.beforeAll(async () => {
  certificates = await makeCertificates();
});

const served = (more: Partial<MockOptions['https']> = {}): MockOptions => ({
  https: { ...certificates.server, ...more },
});
const demanding = () => served({ ca: certificates.ca.cert, requestCert: true });

function fileOf(name: string, text: string): string {
  const file = test.info().outputPath(name);
  writeFileSync(file, text);
  return file;
}

/** What is said on the wire does not depend on how much is said. */
const runBehind = (options: MockOptions, env: Record<string, string> = {}) =>
  runInProcessAgainst(options, { ...variablesOfOneEach, ...env });

const unchecked = { ALLOW_INVALID_CERTIFICATES: '1' };

/** Variables for the client certificate, its key encrypted or not. */
function presenting({ key, cert } = certificates.client): Record<string, string> {
  return { CLIENT_CERT: fileOf('client.pem', `${cert}\n${key}`) };
}

const expectGreen = (run: WholeRun) =>
  expect(run).toMatchObject({ code: 0, conformance: { verdict: 'pass', notes: [] } });

function expectBlocked(run: WholeRun, reason: string): void {
  expect(run).toMatchObject({ code: 1, conformance: { verdict: 'error' } });
  expect(addressesOf(run, 'violation')).toEqual([]);
  expect(run.output).toContain(reason);
  expect(run.output).not.toMatch(/^\s+at .*:\d+/m);
}

test('a certificate that no authority has signed is rejected, unless ALLOW_INVALID_CERTIFICATES is set', async () => {
  const blocked = await runBehind(served());
  expectBlocked(blocked, 'no secure connection could be made: check certificates and scheme');
  expect(blocked.requests).toEqual([]);
  expectGreen(await runBehind(served(), unchecked));
});

test('a target that demands a client certificate: green with it', async () => {
  expectGreen(await runBehind(demanding(), { ...unchecked, ...presenting() }));
});

test('a target that demands a client certificate: blocked without it', async () => {
  const run = await runBehind(demanding(), unchecked);
  expectBlocked(run, 'no secure connection could be made: check certificates and scheme');
  expect(run.requests).toEqual([]);
});

test('a key with a passphrase is opened by it, and nobody reads the passphrase', async () => {
  const canaries = new Canaries();
  const passphrase = canaries.text('passphrase');
  const encryption = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc' } as const;
  const key = createPrivateKey(certificates.client.key)
    .export({ ...encryption, passphrase })
    .toString();
  const files = presenting({ key, cert: certificates.client.cert });
  const right = { ...unchecked, ...files, CLIENT_KEY_PASSPHRASE: passphrase };
  expectGreen(await runBehind(demanding(), right));
  const env = { ...right, CLIENT_KEY_PASSPHRASE: canaries.of('wrong') };
  const wrong = await runBehind(demanding(), env);
  expectBlocked(wrong, 'the client certificate cannot be used: check CLIENT_CERT, which holds its key');
  expect(leaksOf(canaries, wrong)).toEqual([]);
});

const leaksOf = (canaries: Canaries, { output, files }: WholeRun) =>
  canaries.leaksIn([...files(), { name: 'the terminal', text: output }]);

/** Runs through a proxy. */
async function runThrough(
  proxy: ForwardProxy,
  options: MockOptions,
  env: Record<string, string>,
): Promise<{ run: WholeRun; asked: string[]; host: string }> {
  const mock = await startMock(options);
  try {
    const run = await runInProcess({ ...targetOf(mock.url), ...variablesOfOneEach, ...env });
    return { run, asked: [...new Set(proxy.asked)], host: new URL(mock.url).host };
  } finally {
    await Promise.all([mock.close(), proxy.close()]);
  }
}

const plain = () => ({});
const proxied: [name: string, variable: string, options: () => MockOptions, more: () => object][] = [
  ['http', 'HTTP_PROXY', plain, plain],
  ['http, in lower case', 'http_proxy', plain, plain],
  ['https', 'HTTPS_PROXY', () => served(), () => unchecked],
];

for (const [name, variable, options, more] of proxied) {
  test(`a proxy forwards ${name}, and its credentials are never shown`, async () => {
    const canaries = new Canaries();
    const proxy = await startForwardProxy(canaries.of('user'), canaries.of('password'));
    const env = { [variable]: proxy.url, ...more() };
    const { run, asked, host } = await runThrough(proxy, options(), env);
    expectGreen(run);
    expect(asked).toEqual([host]);
    expect(leaksOf(canaries, run)).toEqual([]);
  });
}

for (const exception of ['127.0.0.1', 'example.com, 127.0.0.1', '*']) {
  test(`NO_PROXY=${exception} goes past the proxy`, async () => {
    const proxy = await startForwardProxy('user', 'password');
    const { run, asked } = await runThrough(proxy, {}, { HTTP_PROXY: proxy.url, NO_PROXY: exception });
    expectGreen(run);
    expect(asked).toEqual([]);
  });
}

test('a proxy that rejects the credentials blocks the run, and they are not shown', async () => {
  const canaries = new Canaries();
  const proxy = await startForwardProxy('user', 'another');
  const wrong = proxy.url.replace('user:another', `${canaries.of('user')}:${canaries.of('password')}`);
  const { run, asked } = await runThrough(proxy, {}, { HTTP_PROXY: wrong });
  expectBlocked(
    run,
    'the proxy rejected the request with HTTP 407: check the user and password of the proxy',
  );
  expect(asked).toEqual([]);
  expect(leaksOf(canaries, run)).toEqual([]);
});
