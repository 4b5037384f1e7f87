import type { Target } from '../client/target.ts';

/** A command of `sh` that asks any target for JSON; an address follows. */
export const plainCurl = `curl -sS -H 'Accept: application/json'`;

/** The same, with an error response as a message and an exit status of curl. */
const failingCurl = plainCurl.replace('-sS', '-fsS');

/** Returns a variable in double quotes. The shell names the variable if nobody has set it. */
export const variableInShell = (name: string): string => `"\${${name}:?}"`;

/** The same for a target that needs more. What may be secret is named as a variable. */
export function curlOf({ headers, authModule, token, transport }: Target): string {
  const { clientCertificate, allowInvalidCertificates } = transport;
  const hasHeaders = Object.keys(headers).length > 0;
  return [
    hasHeaders ? `${headersOfVariable} | ${plainCurl} -H @-` : plainCurl,
    // A variable that nobody sets but who has a token or a signature: docs/testers.md, "Read a failure".
    (authModule || token) && `-H ${variableInShell('AUTH_HEADER')}`,
    clientCertificate && `--cert ${variableInShell('CLIENT_CERT')}`,
    allowInvalidCertificates && '-k',
  ]
    .filter(Boolean)
    .join(' ');
}

/** Names of headers may be secret too, so that not even they are written. */
const headersOfVariable = `printf %s ${variableInShell('API_HEADERS')} | jq -r 'to_entries[] | "\\(.key): \\(.value)"'`;

/**
 * Returns a shell expression for an identifier of a variable.
 * @param isPlain whether the list needs no more than `cut`; otherwise jq trims, skips empty parts, and encodes for an address
 */
export const identifierInShell = (variable: string, index: number, isPlain: boolean): string =>
  isPlain
    ? `$(echo ${variableInShell(variable)} | cut -d, -f${index + 1})`
    : `$(jq -nr --arg ids ${variableInShell(variable)} '[$ids | scan("[^,\\\\s](?:[^,]*[^,\\\\s])?")][${index}] | @uri')`;

/** The same for a line of a file that a variable names. */
export const identifierLineInShell = (variable: string, line: number) =>
  `$(sed -n ${line}p "\${${variable}#@}" | jq -Rr '[scan("\\\\S(?:.*\\\\S)?")][0] | @uri')`;

/** Returns the address of a path below `BASE_URL`, in double quotes. The path must be encoded, or an expression. */
export const addressInShell = (path: string): string => `"\${BASE_URL:?}${path}"`;

/** A command with what shows the broken place of its response: a value of the body, or else status and headers. */
export function atPlace(command: string, pointer: string): string {
  if (command === '') return '';
  // Of an error response, such as to missing credentials, curl tells the status: jq would print a null.
  if (pointer.startsWith('/'))
    return `${command.replaceAll(plainCurl, failingCurl)} | jq '${jqPath(pointer)}'`;
  // What prints a recorded response has no option for its head.
  return command.includes(plainCurl) ? `${command} -i` : command;
}

/** A shell expression for an identifier at a place of a response, encoded. */
export const foundInShell = (command: string, pointer: string) =>
  `$(${command} | jq -r '${jqPath(pointer)} | @uri')`;

/** Ends at the first step that is no plain name or index: a name that may be withheld is not written. */
function jqPath(pointer: string): string {
  const steps = pointer.split('/').slice(1);
  const cut = steps.findIndex((step) => !/^(\d+|[A-Za-z_]\w*)$/.test(step));
  const path = (cut < 0 ? steps : steps.slice(0, cut))
    .map((step) => (/^\d+$/.test(step) ? `[${step}]` : `.${step}`))
    .join('');
  return path.startsWith('.') ? path : `.${path}`;
}
