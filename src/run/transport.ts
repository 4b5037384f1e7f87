import { createSecureContext } from 'node:tls';
import { unusableCertificate } from '../client/reasons.ts';
import { type Transport, tlsOptions } from '../client/target.ts';
import { type Environment, isUrl, split, type VariableReader } from './variables.ts';

/** Reads proxy and certificates. */
export const readTransport = (reader: VariableReader, baseUrl: string | undefined): Transport => ({
  proxy: readProxy(reader, baseUrl),
  clientCertificate: readClientCertificate(reader),
  allowInvalidCertificates: reader.isSet('ALLOW_INVALID_CERTIFICATES'),
});

/** The proxy on the way to an address. */
export function readProxy(
  { env, problems }: VariableReader,
  baseUrl: string | undefined,
): string | undefined {
  const proxy = baseUrl ? proxyFor(new URL(baseUrl), env) : undefined;
  if (!proxy) return undefined;
  if (isUrl(proxy) && /^https?:$/.test(new URL(proxy).protocol)) return proxy;
  problems.push('HTTP_PROXY and HTTPS_PROXY must be http:// or https:// URLs, for example http://proxy:3128');
  return undefined;
}

function readClientCertificate(reader: VariableReader): string | undefined {
  const clientCertificate = reader.file('CLIENT_CERT');
  if (!clientCertificate) return undefined;
  try {
    createSecureContext(tlsOptions({ clientCertificate }));
    return clientCertificate;
  } catch {
    reader.problems.push(unusableCertificate);
    return undefined;
  }
}

/** The proxy for a host, by the variables' usual names. `NO_PROXY` lists hosts, domains, or `*`. */
function proxyFor(url: URL, env: Environment): string | undefined {
  const read = (name: string) => env[name.toLowerCase()] || env[name];
  const proxy = url.protocol === 'https:' ? read('HTTPS_PROXY') : read('HTTP_PROXY');
  return split(read('NO_PROXY') ?? '').some((entry) => covers(entry, url)) ? undefined : proxy;
}

function covers(entry: string, { hostname, host }: URL): boolean {
  const domain = entry.replace(/^\*?\./, '');
  return entry === '*' || host === entry || hostname === domain || hostname.endsWith(`.${domain}`);
}
