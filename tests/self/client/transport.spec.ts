import { execFileSync, spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { expect, test } from '@playwright/test';
import { type MockOptions, startMock } from '../../../mock/server.ts';
import { readConfiguration } from '../../../src/run/target.ts';
import { cleanEnvironment, type Environment, writeTestFile } from '../harness/whole-run.ts';
import { startRawProvider } from '../runs/hostile.ts';
import { makeCertificates } from './certificates.ts';
import { startForwardProxy } from './forward-proxy.ts';
import { sendInOrder, sendToMock, withClient } from './with-client.ts';

const { ca, server, client: identity, selfSigned } = await makeCertificates();
const httpsMock: MockOptions = { https: server };
const mutualTlsMock: MockOptions = { https: { ...server, ca: ca.cert, requestCert: true } };

const anyCertificate = { ALLOW_INVALID_CERTIFICATES: '1' };

const writePem = ({ key, cert } = identity): string => writeTestFile('client.pem', `${cert}\n${key}`);

async function sendThreeRequests(options: MockOptions, env: Environment) {
  const { response: responses, received } = await sendToMock(options, env, (client) =>
    Promise.all(['/a', '/b', '/c'].map((path) => client.get(path))),
  );
  const outcomes = responses.map((response) => ('blocked' in response ? response.blocked : response.status));
  return { outcomes, hosts: received.map(({ headers }) => headers.host) };
}

const threeResponses = [404, 404, 404];
const blocked = (sentence: unknown) => [sentence, sentence, sentence];
const threeTlsErrors = blocked('no secure connection could be made: check certificates and scheme');
const formatCertificateError = (problem: string) =>
  `the certificate of the target, or of the proxy, is ${problem}: set NODE_EXTRA_CA_CERTS, or ALLOW_INVALID_CERTIFICATES=1`;
const notSigned = formatCertificateError('self-signed');
const unknownAuthority = formatCertificateError('of an unknown authority');
const noTls = 'the target, or the proxy, does not use TLS: is its address http://?';

const secured: [name: string, options: MockOptions, env: () => Environment, outcomes: unknown[]][] = [
  ['a certificate of an unknown authority', httpsMock, () => ({}), blocked(unknownAuthority)],
  [
    'a certificate of an unknown authority, which is sent too',
    { https: { ...server, cert: `${server.cert}\n${ca.cert}` } },
    () => ({}),
    blocked(unknownAuthority),
  ],
  ['a self-signed certificate', { https: selfSigned }, () => ({}), blocked(notSigned)],
  ['any certificate, where that is allowed', httpsMock, () => anyCertificate, threeResponses],
  [
    'a client certificate that is demanded',
    mutualTlsMock,
    () => ({ ...anyCertificate, CLIENT_CERT: writePem() }),
    threeResponses,
  ],
  ['no client certificate, though one is demanded', mutualTlsMock, () => anyCertificate, threeTlsErrors],
];

for (const [name, options, env, expectedOutcomes] of secured)
  test(name, async () => {
    const { outcomes, hosts } = await sendThreeRequests(options, env());
    expect(outcomes).toEqual(expectedOutcomes);
    expect(hosts).toHaveLength(expectedOutcomes === threeResponses ? 3 : 0);
  });

test('a name that does not exist, and a proxy that is down', async () => {
  const unresolved = "the target's name could not be resolved: check the host in BASE_URL";
  const noProxy = 'the proxy cannot be reached: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY';
  const down = { HTTP_PROXY: 'http://127.0.0.1:1', HTTPS_PROXY: 'http://name.invalid' };
  for (const [url, env, blocked] of [
    ['http://name.invalid', {}, unresolved],
    ['http://127.0.0.1:1', down, noProxy],
    ['https://127.0.0.1:1', down, noProxy],
  ] as const)
    expect(await withClient({ url, close: async () => {} }, env, sendInOrder('/a'))).toMatchObject([
      { blocked },
    ]);
});

const encryption = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'p' } as const;
const encryptIdentity = () => ({
  key: createPrivateKey(identity.key).export(encryption).toString(),
  cert: identity.cert,
});

function writePkcs12(): string {
  const file = test.info().outputPath('client.p12');
  execFileSync('openssl', ['pkcs12', '-export', '-in', writePem(), '-out', file, '-passout', 'pass:p']);
  return file;
}

const forms: [name: string, env: () => Environment][] = [
  ['PEM', () => ({ CLIENT_CERT: writePem(encryptIdentity()) })],
  ['PKCS #12', () => ({ CLIENT_CERT: writePkcs12() })],
];

for (const [name, env] of forms)
  test(`a client certificate in ${name} is presented with its passphrase, and not used without it, also through a proxy`, async () => {
    const unusable =
      'the client certificate cannot be used: check CLIENT_CERT (certificate and private key) and CLIENT_CERT_PASSPHRASE';
    const proxy = await startForwardProxy('user', '');
    for (const through of [{}, { HTTPS_PROXY: proxy.url }]) {
      const all = { ...anyCertificate, ...env(), ...through };
      for (const CLIENT_CERT_PASSPHRASE of ['', 'wrong'])
        expect(await sendThreeRequests(mutualTlsMock, { ...all, CLIENT_CERT_PASSPHRASE })).toEqual({
          outcomes: blocked(unusable),
          hosts: [],
        });
      expect(
        (await sendThreeRequests(mutualTlsMock, { ...all, CLIENT_CERT_PASSPHRASE: 'p' })).outcomes,
      ).toEqual(threeResponses);
    }
    await proxy.close();
  });

for (const [variable, options, password] of [
  ['HTTP_PROXY', {}, 'pass:word'],
  ['HTTPS_PROXY', httpsMock, ''],
] as const)
  test(`${variable} names a proxy, which is reached by the scheme of its address`, async () => {
    const proxy = await startForwardProxy('user', password);
    const through = (url: string) => sendThreeRequests(options, { ...anyCertificate, [variable]: url });
    const { outcomes, hosts } = await through(proxy.url);
    expect(outcomes).toEqual(threeResponses);
    expect(new Set(proxy.hosts)).toEqual(new Set(hosts));
    const secured = await through(proxy.url.replace('http:', 'https:')).finally(proxy.close);
    expect(secured).toEqual({ outcomes: blocked(noTls), hosts: [] });
  });

test('a target without TLS', async () => {
  const mock = await startMock();
  const url = mock.url.replace('http:', 'https:');
  expect(await withClient({ ...mock, url }, {}, sendInOrder('/a'))).toMatchObject([{ blocked: noTls }]);
});

test('NO_PROXY names hosts that are reached without a proxy', () => {
  const host = 'api.example.com:8443';
  const isProxied = (NO_PROXY: string, baseUrl = `https://${host}`) => {
    const env = { BASE_URL: baseUrl, https_proxy: 'http://proxy', NO_PROXY };
    return readConfiguration(env, '/nonexistent').target.transport.proxy === 'http://proxy';
  };
  for (const name of [
    '*',
    'a, api.example.com',
    'Example.COM',
    '.example.com',
    '*.example.com',
    host,
    '.example.com:8443',
  ])
    expect(isProxied(name), name).toBe(false);
  for (const name of ['', 'pi.example.com', '.api', 'com.example', 'b.api.example.com', `${host}1`])
    expect(isProxied(name), name).toBe(true);
  expect(isProxied('api.example.com:443', 'https://api.example.com')).toBe(false);
  expect(isProxied('api.example.com:80', 'https://api.example.com')).toBe(true);
});

const unauthorized = 'the proxy rejected the request with HTTP 407: check the user and password of the proxy';
const noTunnel = 'the proxy opened no tunnel to the target: check HTTP_PROXY and HTTPS_PROXY';
const late = 'no complete response within 1000 ms (REQUEST_TIMEOUT_MS)';
const bad: [name: string, bytes: string | undefined, sentence: string][] = [
  ['answers HTTP 407', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', unauthorized],
  ['answers HTTP 502', 'HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n', noTunnel],
  ['answers HTTP 204', 'HTTP/1.1 204 No Content\r\n\r\n', noTunnel],
  ['answers without HTTP', '220 ready\r\n\r\n', 'the response is not valid HTTP'],
  [
    'answers with a broken header',
    'HTTP/1.1 502 Bad Gateway\r\nbroken\r\n\r\n',
    'the response is not valid HTTP',
  ],
  ['closes the connection', '', noTunnel],
  ['never answers', undefined, late],
];

for (const [variable, url] of [
  ['HTTP_PROXY', 'http://127.0.0.1:1'],
  ['HTTPS_PROXY', 'https://127.0.0.1:1'],
] as const)
  for (const [name, bytes, sentence] of bad)
    test(`${variable} is a proxy that ${name}: one sentence, and no response of the target`, async () => {
      const proxy = await startRawProvider((socket) => {
        if (bytes === '') socket.end();
        else if (bytes) socket.write(bytes);
      });
      const env = { ...anyCertificate, [variable]: proxy.url, REQUEST_TIMEOUT_MS: '1000' };
      const response = await withClient({ url, close: proxy.close }, env, sendInOrder('/a'));
      expect(response).toMatchObject([{ blocked: sentence }]);
    });

test('the doctor ends if a proxy never responds', async () => {
  const proxy = await startRawProvider(() => {});
  const env = { BASE_URL: 'https://127.0.0.1:1', CARD_IDS: 'a', REQUEST_TIMEOUT_MS: '500' };
  const doctor = spawn(process.execPath, ['--import', 'tsx', 'commands/doctor.ts'], {
    env: { ...cleanEnvironment(), ...env, HTTPS_PROXY: proxy.url },
    stdio: 'ignore',
  });
  await once(doctor, 'close');
  expect(doctor.exitCode).toBe(1);
  await proxy.close();
});
