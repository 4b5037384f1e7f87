import { generate } from 'selfsigned';

interface Identity {
  key: string;
  cert: string;
}

/** Creates PEM keys and certificates of a CA, a server (127.0.0.1) and a client. The CA has not signed `selfSigned`, a server. */
export async function makeCertificates(): Promise<
  Record<'ca' | 'server' | 'client' | 'selfSigned', Identity>
> {
  const ca = await createIdentity('Test authority', [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);
  const serverExtensions: Extensions = [
    { name: 'extKeyUsage', serverAuth: true },
    // Type 7 is an IP address (RFC 5280, section 4.2.1.6).
    { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
  ];
  const server = await createIdentity('127.0.0.1', serverExtensions, ca);
  const client = await createIdentity('client-1', [{ name: 'extKeyUsage', clientAuth: true }], ca);
  const selfSigned = await createIdentity('127.0.0.1', serverExtensions);
  return { ca, server, client, selfSigned };
}

type Extensions = NonNullable<NonNullable<Parameters<typeof generate>[1]>['extensions']>;

async function createIdentity(name: string, extensions: Extensions, ca?: Identity): Promise<Identity> {
  const subject = [{ name: 'commonName', value: name }];
  const options = { keyType: 'ec', algorithm: 'sha256', extensions } as const;
  const { private: key, cert } = await generate(subject, ca ? { ...options, ca } : options);
  return { key, cert };
}
