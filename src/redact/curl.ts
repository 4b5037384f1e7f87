import type { Target } from '../client/target.ts';

export const plainCurl = `curl -sS -H 'Accept: application/json'`;

/** Formats a shell variable: `"${CARD_IDS:?}"`. The shell fails if the variable is unset or empty. */
export const quoteShellVariable = (name: string): string => `"\${${name}:?}"`;

/** Builds a curl command without URL. Secrets are shell variables such as `"${CLIENT_CERT:?}"`. */
export function buildCurlCommand({ headers, authModule, token, transport }: Target): string {
  const { clientCertificate, passphrase, allowInvalidCertificates } = transport;
  const hasHeaders = Object.keys(headers).length > 0;
  const isPkcs12 = /\.(p12|pfx)$/i.test(clientCertificate ?? '');
  // Names of headers may be secret, too, so that the command has none of them.
  const parts = [hasHeaders ? `${printHeadersCommand} | ${plainCurl} -H @-` : plainCurl];
  // AUTH_HEADER is set by hand: the token or the signature of a run is not stored (docs/testers.md, "Read a failure").
  if (authModule || token) parts.push(`-H ${quoteShellVariable('AUTH_HEADER')}`);
  if (clientCertificate) parts.push(`--cert ${quoteShellVariable('CLIENT_CERT')}`);
  if (isPkcs12) parts.push('--cert-type P12');
  if (clientCertificate && passphrase) parts.push(`--pass ${quoteShellVariable('CLIENT_CERT_PASSPHRASE')}`);
  if (allowInvalidCertificates) parts.push('-k');
  return parts.join(' ');
}

/** Shell command that prints the headers in `API_HEADERS` as lines `name: value`. */
const printHeadersCommand = `printf %s ${quoteShellVariable('API_HEADERS')} | jq -r 'to_entries[] | "\\(.key): \\(.value)"'`;

// Regular expression of jq for an item of a comma-separated list, without the spaces around it.
const trimmedItemPattern = '[^,\\\\s](?:[^,]*[^,\\\\s])?';

/**
 * Builds a shell expression that prints one percent-encoded identifier of a list such as `CARD_IDS`.
 * @param index index in the list, from 0
 * @param isPlainList true if no identifier needs trimming or percent-encoding
 */
export function buildIdentifierExpression(variable: string, index: number, isPlainList: boolean): string {
  const list = quoteShellVariable(variable);
  if (isPlainList) return `$(echo ${list} | cut -d, -f${index + 1})`;
  return `$(jq -nr --arg ids ${list} '[$ids | scan("${trimmedItemPattern}")][${index}] | @uri')`;
}

/**
 * Builds a shell expression that prints one identifier of a file, percent-encoded. The variable names the file:
 * `CARD_IDS=@cards.txt`.
 * @param line line number, from 1
 */
export const buildIdentifierLineExpression = (variable: string, line: number) =>
  `$(sed -n ${line}p "\${${variable}#@}" | jq -Rr '[scan("\\\\S(?:.*\\\\S)?")][0] | @uri')`;

export const quoteAddressForShell = (path: string): string => `"\${BASE_URL:?}${path}"`;

/**
 * Makes a command print the part of the response that a finding is about. For the field `/data/id`, appends `| jq '.data.id'`. For
 * a pointer that names no field, such as `http`, makes curl print status and headers, too. An empty command stays empty.
 */
export function adaptCurlOutput(command: string, pointer: string): string {
  // For example, there is no command that prints a recording from standard input.
  if (command === '') return '';
  const isJsonPointer = pointer.startsWith('/');
  if (!isJsonPointer) {
    // A command without curl is for recorded traffic: it prints a stored body, which has no headers.
    const isCurlCommand = command.includes(plainCurl);
    return isCurlCommand ? `${command} -i` : command;
  }
  // With `--fail`, curl reports an error status, such as for missing credentials; jq would print `null`.
  const failingCommand = command.replaceAll(plainCurl, plainCurl.replace('-sS', '-fsS'));
  return `${failingCommand} | jq '${formatJqPath(pointer)}'`;
}

export const buildResponseIdentifierExpression = (command: string, pointer: string) =>
  `$(${command} | jq -r '${formatJqPath(pointer)} | @uri')`;

/** Formats a JSON Pointer as a jq path: `/data/cards/0` as `.data.cards[0]`. */
function formatJqPath(pointer: string): string {
  let path = '';
  for (const step of pointer.split('/').slice(1)) {
    const isIndex = /^\d+$/.test(step);
    const isPlainName = /^[A-Za-z_]\w*$/.test(step);
    // Of `/data/(name withheld)/id`, only `.data` can be printed.
    if (!isIndex && !isPlainName) break;
    path += isIndex ? `[${step}]` : `.${step}`;
  }
  // A jq path begins with a period: `.` for the whole body, `.[0]` for the first element.
  return path.startsWith('.') ? path : `.${path}`;
}
