import type { Target } from '../client/target.ts';

/** Shell command that requests JSON; an address follows. */
export const plainCurl = `curl -sS -H 'Accept: application/json'`;

/** Command that reports an error response by message and exit status (`curl --fail`). */
const failingCurlCommand = plainCurl.replace('-sS', '-fsS');

/** Quotes a variable for the shell, which names it and stops if the variable is unset. */
export const quoteShellVariable = (name: string): string => `"\${${name}:?}"`;

/**
 * Builds the curl command for a target, with its headers, token, signature and certificate. Values that may be secret appear as
 * variables.
 */
export function buildCurlCommand({ headers, authModule, token, transport }: Target): string {
  const { clientCertificate, passphrase, allowInvalidCertificates } = transport;
  const hasHeaders = Object.keys(headers).length > 0;
  return [
    hasHeaders ? `${headersFromVariable} | ${plainCurl} -H @-` : plainCurl,
    // AUTH_HEADER is set by hand: the token or the signature of a run is not stored (docs/testers.md, "Read a failure").
    (authModule || token) && `-H ${quoteShellVariable('AUTH_HEADER')}`,
    clientCertificate && `--cert ${quoteShellVariable('CLIENT_CERT')}`,
    clientCertificate && /\.(p12|pfx)$/i.test(clientCertificate) && '--cert-type P12',
    clientCertificate && passphrase && `--pass ${quoteShellVariable('CLIENT_CERT_PASSPHRASE')}`,
    allowInvalidCertificates && '-k',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Reads headers from the variable API_HEADERS, because even their names may be secret. */
const headersFromVariable = `printf %s ${quoteShellVariable('API_HEADERS')} | jq -r 'to_entries[] | "\\(.key): \\(.value)"'`;

/**
 * Returns a shell expression for an identifier of a variable.
 * @param isPlain whether the list needs no more than `cut`; otherwise jq trims, skips empty parts, and encodes for an address
 */
export const identifierInShell = (variable: string, index: number, isPlain: boolean): string =>
  isPlain
    ? `$(echo ${quoteShellVariable(variable)} | cut -d, -f${index + 1})`
    : `$(jq -nr --arg ids ${quoteShellVariable(variable)} '[$ids | scan("[^,\\\\s](?:[^,]*[^,\\\\s])?")][${index}] | @uri')`;

/** Shell expression for the identifier in a line of a file that a variable names (`@FILE`), percent-encoded. */
export const identifierLineInShell = (variable: string, line: number) =>
  `$(sed -n ${line}p "\${${variable}#@}" | jq -Rr '[scan("\\\\S(?:.*\\\\S)?")][0] | @uri')`;

/** Formats the address of a path in double quotes. The path must be percent-encoded or a shell expression. */
export const addressInShell = (path: string): string => `"\${BASE_URL:?}${path}"`;

/** Extends a command to show the broken place of its response: a value of the body, or else status and headers. */
export function atPlace(command: string, pointer: string): string {
  if (command === '') return '';
  // With `--fail`, curl reports an error status, such as for missing credentials; jq would print `null`.
  if (pointer.startsWith('/'))
    return `${command.replaceAll(plainCurl, failingCurlCommand)} | jq '${formatJqPath(pointer)}'`;
  // A command that prints a recorded body has no headers to show.
  return command.includes(plainCurl) ? `${command} -i` : command;
}

/** Shell expression for an identifier at a pointer in a response, percent-encoded. */
export const foundInShell = (command: string, pointer: string) =>
  `$(${command} | jq -r '${formatJqPath(pointer)} | @uri')`;

/**
 * Formats a pointer as a jq path, up to the first step that is neither a plain name nor an index, because such a name may be
 * withheld.
 */
function formatJqPath(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  const cutIndex = steps.findIndex((step) => !/^(\d+|[A-Za-z_]\w*)$/.test(step));
  const path = (cutIndex < 0 ? steps : steps.slice(0, cutIndex))
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('');
  return path.startsWith('.') ? path : `.${path}`;
}
