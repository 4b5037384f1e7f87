/** The environment, or what was found in place of it. */
export type Environment = Record<string, string | undefined>;

/** Comma-separated values, each once. */
export const split = (text: string) =>
  [...new Set(text.split(',').map((part) => part.trim()))].filter(Boolean);

/** Whether an address can be asked: its user and password must be escaped as a URL's are. */
export function isUrl(text: string): boolean {
  try {
    const { username, password } = new URL(text);
    return decodeURIComponent(username + password) !== undefined;
  } catch {
    return false;
  }
}

/** An address without a slash at its end; what is wrong with it is added to the problems. */
export function readUrl(text: string, problems: string[]): string | undefined {
  const problem = (reason: string) =>
    void problems.push(`BASE_URL ${reason}, for example https://api.example.com`);
  if (!URL.canParse(text)) return problem('is not a URL: give scheme and host');
  if (!isUrl(text)) return problem('has a user or password that is not escaped: write % as %25');
  const { protocol, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol)) return problem('must begin with http:// or https://');
  if (search || hash) return problem('must not have a query or a fragment');
  return text.replace(/\/+$/, '');
}

/** A number within bounds, or else the fallback. */
export function readNumber(
  env: Environment,
  problems: string[],
  name: string,
  fallback: number,
  least: number,
  most = Number.MAX_SAFE_INTEGER,
): number {
  const text = env[name];
  if (!text) return fallback;
  const number = Number(text);
  if (number >= least && number <= most) return number;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `of at least ${least}` : `from ${least} to ${most}`;
  problems.push(`${name} must be a number ${bounds}`);
  return fallback;
}

/** One of some words, of which the first is the default. */
export function readChoice<T extends string>(
  env: Environment,
  problems: string[],
  name: string,
  choices: T[],
): T {
  const [fallback] = choices as [T];
  const choice = choices.find((known) => known === (env[name] || fallback));
  if (!choice) problems.push(`${name} must be one of: ${choices.join(', ')}`);
  return choice ?? fallback;
}

/** The headers of API_HEADERS. */
export function readHeaders(text: string | undefined, problems: string[]): Record<string, string> {
  if (!text) return {};
  const problem = (reason: string) => {
    problems.push(`API_HEADERS ${reason}; give a JSON object such as {"X-Api-Key":"…"}`);
    return {};
  };
  try {
    const headers: unknown = JSON.parse(text);
    if (typeof headers !== 'object' || headers === null || Array.isArray(headers))
      return problem('is not an object');
    const wrong = Object.values(headers).some((value) => typeof value !== 'string');
    if (wrong) return problem('has a value that is not a string');
    new Headers(headers as Record<string, string>);
    return headers as Record<string, string>;
  } catch (error) {
    return problem(
      error instanceof SyntaxError ? 'is not JSON' : 'has a name or value that HTTP does not allow',
    );
  }
}
