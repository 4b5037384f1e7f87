import { acceptEncoding } from './body.ts';
import type { ClientState, Sending } from './http-client.ts';
import { authorizationOf } from './routes.ts';

const agent = 'lookup-api-conformance';

/** All headers of a request, those of its signature included. @throws {SigningError} */
export async function headersFor(
  state: ClientState,
  url: URL,
  sending: Sending,
): Promise<Record<string, string>> {
  const accept = sending.overrides.accept ?? 'application/json';
  const fixed = { 'accept-encoding': acceptEncoding };
  if (sending.overrides.anonymous) return { 'user-agent': agent, accept, ...fixed };
  const own = Object.entries(state.target.headers).map(([name, value]) => [name.toLowerCase(), value]);
  const headers: Record<string, string> = { 'user-agent': agent, ...Object.fromEntries(own), accept };
  const signed = await signedHeaders(state, url, headers, sending.unauthorized);
  return { ...authorizationOf('authorization', url), ...headers, ...signed, ...fixed };
}

async function signedHeaders(
  { signer, onSecret }: ClientState,
  { origin, pathname: path, search }: URL,
  headers: Record<string, string>,
  unauthorized: boolean,
): Promise<Record<string, string>> {
  if (!signer) return {};
  const query = search.replace(/^\?/, '');
  // Without credentials of the address, which are no part of what is on the wire.
  const about = {
    method: 'GET',
    url: origin + path + search,
    path,
    query,
    headers,
    now: new Date(),
  } as const;
  const signed = await signer.sign(unauthorized ? { ...about, unauthorized } : about);
  for (const [name, value] of Object.entries(signed)) if (headers[name] !== value) onSecret(value);
  return signed;
}
