import type { Target } from '../client/target.ts';

export const plainCurl = `curl -sS -H 'Accept: application/json'`;

/** Formats a shell variable so that the shell stops with an error that names the variable if it is unset. */
export const quoteShellVariable = (name: string): string => `"\${${name}:?}"`;

/** Builds a curl command without a URL. Values that may be secret are shell variables such as `"${CLIENT_CERT:?}"`. */
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

/** Shell command that prints each header of `API_HEADERS` as a line for curl, because even names of headers may be secret. */
const printHeadersCommand = `printf %s ${quoteShellVariable('API_HEADERS')} | jq -r 'to_entries[] | "\\(.key): \\(.value)"'`;

// jq pattern for an item of a comma-separated list, without the spaces around it.
const trimmedItem = '[^,\\\\s](?:[^,]*[^,\\\\s])?';

/**
 * Builds a shell expression that prints one identifier of a variable such as `CARD_IDS`.
 * @param index index of the identifier, from 0
 * @param isPlain true if `cut` can split the list; otherwise jq trims and percent-encodes the identifier
 */
export const buildIdentifierExpression = (variable: string, index: number, isPlain: boolean): string =>
  isPlain
    ? `$(echo ${quoteShellVariable(variable)} | cut -d, -f${index + 1})`
    : `$(jq -nr --arg ids ${quoteShellVariable(variable)} '[$ids | scan("${trimmedItem}")][${index}] | @uri')`;

/** Builds a shell expression for one line, from 1, of the file that a variable names, as in `CARD_IDS=@cards.txt`. */
export const buildIdentifierLineExpression = (variable: string, line: number) =>
  `$(sed -n ${line}p "\${${variable}#@}" | jq -Rr '[scan("\\\\S(?:.*\\\\S)?")][0] | @uri')`;

export const quoteAddressForShell = (path: string): string => `"\${BASE_URL:?}${path}"`;

/**
 * Extends a shell command so that it shows what a finding is about: the value at a JSON Pointer such as `/data/card/status`, or for
 * `http` and `request` also status and headers. A command that prints a recorded body has none.
 */
export function adaptCurlOutput(command: string, pointer: string): string {
  if (command === '') return '';
  const isJsonPointer = pointer.startsWith('/');
  if (!isJsonPointer) return command.includes(plainCurl) ? `${command} -i` : command;
  // With `--fail`, curl reports an error status, such as for missing credentials; jq would print `null`.
  const failingCommand = command.replaceAll(plainCurl, plainCurl.replace('-sS', '-fsS'));
  return `${failingCommand} | jq '${formatJqPath(pointer)}'`;
}

export const buildResponseIdentifierExpression = (command: string, pointer: string) =>
  `$(${command} | jq -r '${formatJqPath(pointer)} | @uri')`;

/** Formats a JSON Pointer as jq path: `/data/customers/0` as `.data.customers[0]`. Ends before a step such as `(name withheld)`. */
function formatJqPath(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  const isIndex = (step: string) => /^\d+$/.test(step);
  const isPlainName = (step: string) => /^[A-Za-z_]\w*$/.test(step);
  const cutIndex = steps.findIndex((step) => !isIndex(step) && !isPlainName(step));
  const plainSteps = cutIndex < 0 ? steps : steps.slice(0, cutIndex);
  const path = plainSteps.map((step) => (isIndex(step) ? `[${step}]` : `.${step}`)).join('');
  return path.startsWith('.') ? path : `.${path}`;
}
