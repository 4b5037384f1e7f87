import type { Target } from '../client/target.ts';

export const plainCurl = `curl -sS -H 'Accept: application/json'`;

const failingCurlCommand = plainCurl.replace('-sS', '-fsS');

/** Formats a shell variable as `"${NAME:?}"`. If the variable is unset, the shell stops with an error that names it. */
export const quoteShellVariable = (name: string): string => `"\${${name}:?}"`;

/**
 * Builds the curl command for a target, without the address: headers, token or signature, certificate. Shows shell variables such
 * as `"${CLIENT_CERT:?}"` in place of values that may be secret.
 */
export function buildCurlCommand({ headers, authModule, token, transport }: Target): string {
  const { clientCertificate, passphrase, allowInvalidCertificates } = transport;
  const hasHeaders = Object.keys(headers).length > 0;
  const isPkcs12 = /\.(p12|pfx)$/i.test(clientCertificate ?? '');
  return [
    hasHeaders ? `${headersFromVariable} | ${plainCurl} -H @-` : plainCurl,
    // AUTH_HEADER is set by hand: the token or the signature of a run is not stored (docs/testers.md, "Read a failure").
    (authModule || token) && `-H ${quoteShellVariable('AUTH_HEADER')}`,
    clientCertificate && `--cert ${quoteShellVariable('CLIENT_CERT')}`,
    isPkcs12 && '--cert-type P12',
    clientCertificate && passphrase && `--pass ${quoteShellVariable('CLIENT_CERT_PASSPHRASE')}`,
    allowInvalidCertificates && '-k',
  ]
    .filter(Boolean)
    .join(' ');
}

/**
 * Shell command that prints the JSON object in `API_HEADERS` as one `name: value` a line. curl reads the lines from standard input,
 * because even the names of the headers may be secret.
 */
const headersFromVariable = `printf %s ${quoteShellVariable('API_HEADERS')} | jq -r 'to_entries[] | "\\(.key): \\(.value)"'`;

/**
 * Builds a shell expression that prints the identifier at an index, from 0, of a variable such as `CARD_IDS`.
 * @param isPlain true if the identifiers need neither trimming nor percent-encoding, so that `cut` suffices; otherwise jq does both
 */
export const buildIdentifierExpression = (variable: string, index: number, isPlain: boolean): string =>
  isPlain
    ? `$(echo ${quoteShellVariable(variable)} | cut -d, -f${index + 1})`
    : `$(jq -nr --arg ids ${quoteShellVariable(variable)} '[$ids | scan("[^,\\\\s](?:[^,]*[^,\\\\s])?")][${index}] | @uri')`;

/**
 * Builds a shell expression that prints a line, from 1, of the file of identifiers in `CARD_IDS=@cards.txt`, trimmed and
 * percent-encoded.
 */
export const buildIdentifierLineExpression = (variable: string, line: number) =>
  `$(sed -n ${line}p "\${${variable}#@}" | jq -Rr '[scan("\\\\S(?:.*\\\\S)?")][0] | @uri')`;

/**
 * Formats the address of a request for a shell command: `"${BASE_URL:?}/cards/…"`. The path is percent-encoded or a shell
 * expression.
 */
export const quoteAddressForShell = (path: string): string => `"\${BASE_URL:?}${path}"`;

/**
 * Extends a curl command so that its output shows one place of the response: the value at a JSON Pointer, or status and headers
 * (`-i`) for `http` and `request`. Without a pointer, a command that prints a recorded body stays as it is.
 */
export function adaptCurlOutput(command: string, pointer: string): string {
  if (command === '') return '';
  // With `--fail`, curl reports an error status, such as for missing credentials; jq would print `null`.
  if (pointer.startsWith('/'))
    return `${command.replaceAll(plainCurl, failingCurlCommand)} | jq '${formatJqPath(pointer)}'`;
  // A command that prints a recorded body has no headers to show.
  return command.includes(plainCurl) ? `${command} -i` : command;
}

/** Builds a shell expression that sends a request and prints the percent-encoded identifier at a pointer in its response. */
export const buildResponseIdentifierExpression = (command: string, pointer: string) =>
  `$(${command} | jq -r '${formatJqPath(pointer)} | @uri')`;

/**
 * Formats a pointer as a jq path: `/data/customers/0` as `.data.customers[0]`. Stops before a step such as `(name withheld)`, which
 * a redacted pointer may have.
 */
function formatJqPath(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  const cutIndex = steps.findIndex((step) => !/^(\d+|[A-Za-z_]\w*)$/.test(step));
  const path = (cutIndex < 0 ? steps : steps.slice(0, cutIndex))
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('');
  return path.startsWith('.') ? path : `.${path}`;
}
