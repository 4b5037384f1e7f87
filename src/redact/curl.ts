import type { Target } from '../client/target.ts';

export const plainCurl = `curl -sS -H 'Accept: application/json'`;

const failingCurlCommand = plainCurl.replace('-sS', '-fsS');

/** Formats a shell variable as `"${NAME:?}"`. If the variable is unset, the shell stops with an error that names it. */
export const quoteShellVariable = (name: string): string => `"\${${name}:?}"`;

/**
 * Builds a curl command for requests to a target, without the URL: with headers, token or signature, and client certificate. Values
 * that may be secret are shell variables such as `"${CLIENT_CERT:?}"`.
 */
export function buildCurlCommand({ headers, authModule, token, transport }: Target): string {
  const { clientCertificate, passphrase, allowInvalidCertificates } = transport;
  const hasHeaders = Object.keys(headers).length > 0;
  const isPkcs12 = /\.(p12|pfx)$/i.test(clientCertificate ?? '');
  return [
    hasHeaders ? `${printHeadersCommand} | ${plainCurl} -H @-` : plainCurl,
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
 * Shell command that prints the headers of `API_HEADERS`, a JSON object, as one `name: value` a line. curl reads the lines from
 * standard input, because even the names of the headers may be secret.
 */
const printHeadersCommand = `printf %s ${quoteShellVariable('API_HEADERS')} | jq -r 'to_entries[] | "\\(.key): \\(.value)"'`;

// jq pattern for an item of a comma-separated list, without the spaces around it.
const trimmedItem = '[^,\\\\s](?:[^,]*[^,\\\\s])?';

/**
 * Builds a shell expression that prints one identifier of a variable such as `CARD_IDS`.
 * @param index index of the identifier, from 0
 * @param isPlain true if the identifiers need neither trimming nor percent-encoding. Then `cut` prints the identifier, otherwise
 * jq.
 */
export const buildIdentifierExpression = (variable: string, index: number, isPlain: boolean): string =>
  isPlain
    ? `$(echo ${quoteShellVariable(variable)} | cut -d, -f${index + 1})`
    : `$(jq -nr --arg ids ${quoteShellVariable(variable)} '[$ids | scan("${trimmedItem}")][${index}] | @uri')`;

/**
 * Builds a shell expression that prints one line of the file that a variable names, as in `CARD_IDS=@cards.txt`, trimmed and
 * percent-encoded.
 * @param line number of the line, from 1
 */
export const buildIdentifierLineExpression = (variable: string, line: number) =>
  `$(sed -n ${line}p "\${${variable}#@}" | jq -Rr '[scan("\\\\S(?:.*\\\\S)?")][0] | @uri')`;

/**
 * Formats the URL of a request for a shell command: `"${BASE_URL:?}/cards/…"`.
 * @param path path and query, percent-encoded; may contain shell expressions
 */
export const quoteAddressForShell = (path: string): string => `"\${BASE_URL:?}${path}"`;

/**
 * Extends a shell command so that it shows what a finding is about. For a JSON Pointer such as `/data/card/status`, the command
 * then prints only the value there. For `http` and `request`, curl also prints status and headers. Other commands, which print a
 * recorded body, have no headers to print.
 */
export function adaptCurlOutput(command: string, pointer: string): string {
  if (command === '') return '';
  const isJsonPointer = pointer.startsWith('/');
  if (!isJsonPointer) return command.includes(plainCurl) ? `${command} -i` : command;
  // With `--fail`, curl reports an error status, such as for missing credentials; jq would print `null`.
  const failingCommand = command.replaceAll(plainCurl, failingCurlCommand);
  return `${failingCommand} | jq '${formatJqPath(pointer)}'`;
}

/** Builds a shell expression that sends a request, and prints the identifier at a JSON Pointer of its response, percent-encoded. */
export const buildResponseIdentifierExpression = (command: string, pointer: string) =>
  `$(${command} | jq -r '${formatJqPath(pointer)} | @uri')`;

/**
 * Formats a JSON Pointer as a jq path: `/data/customers/0` as `.data.customers[0]`. Ends before the first step that is no plain
 * name, such as `(name withheld)` in a redacted pointer.
 */
function formatJqPath(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  const isIndex = (step: string) => /^\d+$/.test(step);
  const isPlainName = (step: string) => /^[A-Za-z_]\w*$/.test(step);
  const cutIndex = steps.findIndex((step) => !isIndex(step) && !isPlainName(step));
  const plainSteps = cutIndex < 0 ? steps : steps.slice(0, cutIndex);
  const path = plainSteps.map((step) => (isIndex(step) ? `[${step}]` : `.${step}`)).join('');
  return path.startsWith('.') ? path : `.${path}`;
}
