import { Agent, type ClientRequestArgs, request as requestHttp } from 'node:http';
import { type AgentOptions, request as requestHttps, Agent as TlsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { readRegularFile } from './files.ts';
import { ClientError } from './reasons.ts';
import type { Target } from './target.ts';

/** How requests reach a target. */
export interface Route {
  /** Keeps connections for further requests. */
  agent: Agent;
  /** Opens a connection for each request. */
  unshared: Agent;
  /** Proxy that receives the requests themselves; for a tunnel the agent sees to it. */
  forwardTo?: URL;
}

/** Opens a route to a target. */
export function createRoute(
  { transport, timeoutMs }: Pick<Target, 'transport' | 'timeoutMs'>,
  baseUrl: string,
): Route {
  const proxy = transport.proxy ? new URL(transport.proxy) : undefined;
  const { protocol, hostname } = new URL(baseUrl);
  const secure = protocol === 'https:';
  const agentOf = (keepAlive: boolean) => {
    const options = { keepAlive, ...(secure ? tlsOptions(transport) : {}) };
    if (secure && proxy) return tunnelAgent(options, proxy, hostname, timeoutMs);
    return (proxy?.protocol ?? protocol) === 'https:' ? new TlsAgent(options) : new Agent(options);
  };
  return {
    agent: agentOf(true),
    unshared: agentOf(false),
    ...(proxy && !secure ? { forwardTo: proxy } : {}),
  };
}

/** Options of TLS connections to the target. A CA of one's own is Node's business: `NODE_EXTRA_CA_CERTS`. */
function tlsOptions({ clientCertificate, allowInvalidCertificates }: Target['transport']) {
  const pem = clientCertificate && readRegularFile(clientCertificate);
  const trust = allowInvalidCertificates ? { rejectUnauthorized: false } : {};
  return { ...trust, ...(pem ? { cert: pem, key: pem } : {}) };
}

/** A header with the user and password of an address (RFC 7617), if it has any. */
export function authorizationOf(name: string, { username, password }: URL): Record<string, string> {
  if (!username && !password) return {};
  const credentials = [username, password].map(decodeURIComponent).join(':');
  return { [name]: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** Connections to an https:// target through a tunnel of a proxy (RFC 9110 section 9.3.6). */
function tunnelAgent(options: AgentOptions, proxy: URL, hostname: string, timeoutMs: number): Agent {
  const agent = new TlsAgent(options);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (to, callback = () => {}) => {
    const secured = (socket: Duplex) => {
      try {
        callback(null, connect({ ...to, socket } as ClientRequestArgs) as Duplex);
      } catch (error) {
        // As of a client certificate that cannot be used.
        socket.destroy();
        throw error;
      }
    };
    openTunnel(proxy, `${hostname}:${to.port}`, timeoutMs)
      .then(secured)
      .catch(callback as (error: Error) => void);
    return undefined;
  };
  return agent;
}

function openTunnel(proxy: URL, target: string, timeoutMs: number): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = { host: target, ...authorizationOf('proxy-authorization', proxy) };
    const send = proxy.protocol === 'https:' ? requestHttps : requestHttp;
    const signal = AbortSignal.timeout(timeoutMs);
    const options = { method: 'CONNECT', path: target, headers, agent: false, auth: null, signal };
    const request = send(proxy, options);
    request.on('error', (error) => reject(signal.aborted ? new ClientError('timeout') : error));
    request.on('connect', ({ statusCode }, socket) => {
      if (statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new ClientError(statusCode === 407 ? 'proxy credentials' : 'no tunnel'));
    });
    request.end();
  });
}
