import { readFileSync } from 'node:fs';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { type Environment, isUrl, readChoice, readFilePath } from './variables.ts';

/** How a target is reached: proxy, client certificate, and whether a self-signed certificate will do. */
export interface Transport {
  proxy: string | undefined;
  clientCertificate: { certPath: string; keyPath: string; passphrase?: string } | undefined;
  allowSelfSigned: boolean;
}

/** Options of TLS connections to the target. A CA of one's own is Node's business: `NODE_EXTRA_CA_CERTS`. */
export function tlsOptions({ clientCertificate, allowSelfSigned }: Transport) {
  const trust = allowSelfSigned ? { rejectUnauthorized: false } : {};
  return { ...trust, ...(clientCertificate ? certificateOf(clientCertificate) : {}) };
}

type ClientCertificate = NonNullable<Transport['clientCertificate']>;

const certificateOf = ({ certPath, keyPath, passphrase }: ClientCertificate): SecureContextOptions => ({
  cert: readFileSync(certPath),
  key: readFileSync(keyPath),
  ...(passphrase ? { passphrase } : {}),
});

/** Reads proxy and certificates; what is wrong with them is added to the problems, by the name of a variable. */
export function readTransport(env: Environment, baseUrl: string | undefined, problems: string[]): Transport {
  return {
    proxy: readProxy(env, baseUrl, problems),
    clientCertificate: readClientCertificate(env, problems),
    allowSelfSigned: readChoice(env, problems, 'ALLOW_SELF_SIGNED', ['0', '1']) === '1',
  };
}

function readProxy(env: Environment, baseUrl: string | undefined, problems: string[]): string | undefined {
  const proxy = baseUrl ? proxyFor(new URL(baseUrl), env) : undefined;
  if (!proxy) return undefined;
  if (isUrl(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return proxy;
  problems.push('HTTP_PROXY and HTTPS_PROXY must be http:// or https:// URLs, for example http://proxy:3128');
  return undefined;
}

function readClientCertificate(env: Environment, problems: string[]): Transport['clientCertificate'] {
  const [certPath, keyPath] = ['CLIENT_CERT', 'CLIENT_KEY'].map((name) => readFilePath(env, problems, name));
  readFilePath(env, problems, 'NODE_EXTRA_CA_CERTS');
  if (!env.CLIENT_CERT !== !env.CLIENT_KEY)
    problems.push('CLIENT_CERT and CLIENT_KEY must be given together');
  if (!certPath || !keyPath) return undefined;
  const passphrase = env.CLIENT_KEY_PASSPHRASE;
  const certificate = { certPath, keyPath, ...(passphrase ? { passphrase } : {}) };
  if (isUsable(certificate)) return certificate;
  problems.push(
    'the client certificate cannot be used: check CLIENT_CERT, CLIENT_KEY and CLIENT_KEY_PASSPHRASE',
  );
  return undefined;
}

function isUsable(certificate: ClientCertificate): boolean {
  try {
    return createSecureContext(certificateOf(certificate)) !== undefined;
  } catch {
    return false;
  }
}

/** The proxy for a host, by the variables' usual names. `NO_PROXY` lists hosts, domains, or `*`. */
export function proxyFor(url: URL, env: Environment): string | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name];
  const proxy = url.protocol === 'https:' ? read('HTTPS_PROXY') : read('HTTP_PROXY');
  const excepted = (read('NO_PROXY') ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
  return excepted.some((entry) => covers(entry, url)) ? undefined : proxy;
}

function covers(entry: string, { hostname, host }: URL): boolean {
  const domain = entry.replace(/^\*?\./, '');
  return entry === '*' || host === entry || hostname === domain || hostname.endsWith(`.${domain}`);
}
