import { generate } from 'selfsigned';

interface Identity {
  key: string;
  cert: string;
}

/** Creates certificates of an authority that no client trusts, and two that it signs: of a server at 127.0.0.1 and of a client. All are PEM. */
export async function makeCertificates() {
  const ca = await issue('Test authority', [
    { name: 'basicConstraints', cA: true, critical: true },
    { name: 'keyUsage', keyCertSign: true, cRLSign: true, critical: true },
  ]);
  const local: Extensions = [{ name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] }];
  const server = await issue('127.0.0.1', [{ name: 'extKeyUsage', serverAuth: true }, ...local], ca);
  const client = await issue('client-1', [{ name: 'extKeyUsage', clientAuth: true }], ca);
  return { ca, server, client };
}

type Extensions = NonNullable<NonNullable<Parameters<typeof generate>[1]>['extensions']>;

/** Creates a key and its certificate. @param ca authority that signs the certificate; default: the certificate signs itself */
async function issue(name: string, extensions: Extensions, ca?: Identity): Promise<Identity> {
  const subject = [{ name: 'commonName', value: name }];
  const options = { keyType: 'ec', algorithm: 'sha256', extensions } as const;
  const { private: key, cert } = await generate(subject, ca ? { ...options, ca } : options);
  return { key, cert };
}
