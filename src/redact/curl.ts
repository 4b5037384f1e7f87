import type { Target } from '../client/target.ts';

/** Beginning of a curl command that requests JSON; the address follows it. */
export const plainCurl = `curl -sS -H 'Accept: application/json'`;

/** Variant of `plainCurl` with `--fail`: for an error status, curl prints only a message and exits with an error. */
const failingCurlCommand = plainCurl.replace('-sS', '-fsS');

/** Formats a shell variable as `"${NAME:?}"`: if the variable is unset, the shell stops with an error that names it. */
export const quoteShellVariable = (name: string): string => `"\${${name}:?}"`;

/**
 * Builds the curl command for a target, without the address: headers, token or signature, certificate. Values that may be secret
 * appear as shell variables such as `"${CLIENT_CERT:?}"`.
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
 * Shell command that prints the headers of the variable `API_HEADERS`, a JSON object, as one `name: value` a line. curl reads them
 * from standard input, because even their names may be secret.
 */
const headersFromVariable = `printf %s ${quoteShellVariable('API_HEADERS')} | jq -r 'to_entries[] | "\\(.key): \\(.value)"'`;

/**
 * Builds a shell expression that prints the identifier at an index, from 0, of a variable such as `CARD_IDS`.
 * @param isPlain true if the variable is a plain comma-separated list, for which `cut` suffices; otherwise jq trims the
 * identifiers, skips empty ones, and percent-encodes the one at the index
 */
export const identifierInShell = (variable: string, index: number, isPlain: boolean): string =>
  isPlain
    ? `$(echo ${quoteShellVariable(variable)} | cut -d, -f${index + 1})`
    : `$(jq -nr --arg ids ${quoteShellVariable(variable)} '[$ids | scan("[^,\\\\s](?:[^,]*[^,\\\\s])?")][${index}] | @uri')`;

/**
 * Builds a shell expression that prints a line, from 1, of the file of identifiers in `CARD_IDS=@cards.txt`, trimmed and
 * percent-encoded.
 */
export const identifierLineInShell = (variable: string, line: number) =>
  `$(sed -n ${line}p "\${${variable}#@}" | jq -Rr '[scan("\\\\S(?:.*\\\\S)?")][0] | @uri')`;

/**
 * Formats the address of a request for a shell command: `"${BASE_URL:?}/cards/…"`. @param path percent-encoded path, or shell
 * expression
 */
export const addressInShell = (path: string): string => `"\${BASE_URL:?}${path}"`;

/**
 * Extends a curl command so that it shows the place of a violation in its response: the value at a pointer, or status and headers
 * (`-i`) for `http` and `request`. Returns an empty text for an empty command, and a command that prints a recorded body unchanged
 * for `http` and `request`.
 */
export function atPlace(command: string, pointer: string): string {
  if (command === '') return '';
  // With `--fail`, curl reports an error status, such as for missing credentials; jq would print `null`.
  if (pointer.startsWith('/'))
    return `${command.replaceAll(plainCurl, failingCurlCommand)} | jq '${formatJqPath(pointer)}'`;
  // A command that prints a recorded body has no headers to show.
  return command.includes(plainCurl) ? `${command} -i` : command;
}

/** Builds a shell expression that sends a request and prints the identifier at a pointer in its response, percent-encoded. */
export const foundInShell = (command: string, pointer: string) =>
  `$(${command} | jq -r '${formatJqPath(pointer)} | @uri')`;

/**
 * Formats a pointer as a jq path: `/data/customers/0` as `.data.customers[0]`. Stops before the first step that is neither a plain
 * name nor an index, because a redacted pointer may have `(name withheld)` there.
 */
function formatJqPath(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  const cutIndex = steps.findIndex((step) => !/^(\d+|[A-Za-z_]\w*)$/.test(step));
  const path = (cutIndex < 0 ? steps : steps.slice(0, cutIndex))
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('');
  return path.startsWith('.') ? path : `.${path}`;
}
