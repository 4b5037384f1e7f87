import { createServer, type IncomingMessage, request } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** A forwarding proxy of this machine. */
export interface ForwardProxy {
  /** Address with the credentials that it demands. */
  url: string;
  /** Requested hosts, a line a connection or request. */
  asked: string[];
  close(): Promise<void>;
}

/** Forwards plain requests and CONNECT tunnels (RFC 9110 section 9.3.6) of whoever gives user and password. */
export async function startForwardProxy(user: string, password: string): Promise<ForwardProxy> {
  const asked: string[] = [];
  const expected = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  const enters = ({ url = '', headers }: IncomingMessage) => {
    if (headers['proxy-authorization'] !== expected) return false;
    asked.push(URL.canParse(url) && url.startsWith('http') ? new URL(url).host : url);
    return true;
  };
  const server = createServer((incoming, outgoing) => {
    if (!enters(incoming)) return void outgoing.writeHead(407).end();
    const { url = '', method = '', headers } = incoming;
    request(url, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    }).end();
  });
  server.on('connect', (incoming: IncomingMessage, client: Socket) => {
    if (!enters(incoming)) return void client.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    tunnel(incoming.url ?? '', client);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  const credentials = `${encodeURIComponent(user)}:${encodeURIComponent(password)}`;
  const close = () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
  return { url: `http://${credentials}@127.0.0.1:${port}`, asked, close };
}

function tunnel(address: string, client: Socket): void {
  const [host = '', port] = address.split(':');
  const upstream = connect(Number(port), host, () => {
    client.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    client.pipe(upstream).pipe(client);
  });
  client.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
  upstream.on('error', () => client.destroy()).on('close', () => client.destroy());
}
