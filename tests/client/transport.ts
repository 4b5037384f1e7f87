import type { APIRequest } from '@playwright/test';
import type { Target } from './target.ts';

type Options = NonNullable<Parameters<APIRequest['newContext']>[0]>;

/** How a target is reached: proxy, client certificate, and whether a self-signed certificate will do. */
export interface Transport {
  proxy: string | undefined;
  clientCertificate: { certPath: string; keyPath: string; passphrase?: string } | undefined;
  allowSelfSigned: boolean;
}

/** Options of a request context. A CA of one's own is Node's business: `NODE_EXTRA_CA_CERTS`. */
export function transportOf({ transport }: Target, baseUrl: string): Options {
  const { proxy, clientCertificate, allowSelfSigned } = transport;
  return {
    ignoreHTTPSErrors: allowSelfSigned,
    ...(proxy ? { proxy: proxyOf(new URL(proxy)) } : {}),
    ...(clientCertificate
      ? { clientCertificates: [{ origin: new URL(baseUrl).origin, ...clientCertificate }] }
      : {}),
  };
}

function proxyOf(proxy: URL) {
  const server = `${proxy.protocol}//${proxy.host}`;
  if (!proxy.username) return { server };
  const [username, password] = [proxy.username, proxy.password].map(decodeURIComponent);
  return { server, username: username ?? '', password: password ?? '' };
}

/** The proxy for a host, by the variables' usual names. `NO_PROXY` lists hosts, domains, or `*`. */
export function proxyFor(url: URL, env: Record<string, string | undefined>): string | undefined {
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
