import type { Target } from '../configuration/target.ts';
import { acceptEncoding } from './body.ts';
import { authorizationOf } from './routes.ts';
import type { Signer } from './signing.ts';

/** What a request may have that is not as documented. */
export interface RequestOverrides {
  /** Instead of `application/json`. */
  accept?: string;
  /** Without API_HEADERS, AUTH_MODULE and what the address holds, on connections that carried none of them. */
  anonymous?: true;
  /** A request that was sent before: the new response is compared with the earlier one. */
  again?: true;
}

/** Receives each secret that is about to be sent, so that nobody writes it. */
export type OnSecret = (value: string) => void;

/** One request, and whether it was answered with 401 a moment ago. */
export interface Sending {
  path: string;
  overrides: RequestOverrides;
  unauthorized: boolean;
}

/** What headers are made from. */
interface Signing {
  target: Target;
  signer: Signer | undefined;
  onSecret: OnSecret;
}

const agent = 'lookup-api-conformance';

/**
 * Headers of a request: those of the configuration, and those of AUTH_MODULE, which are reported as secrets.
 * @throws {SigningError} when the module cannot sign.
 */
export async function headersFor(
  state: Signing,
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
  { signer, onSecret }: Signing,
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
