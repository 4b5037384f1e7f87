import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseEnv } from 'node:util';
import { identifiers } from '../../mock/seed.ts';

/** Configuration of a run: which provider is under test, and how (README, "Configuration"). */
export interface Target {
  name: string;
  /** Without it the embedded mock is started. */
  baseUrl: string | undefined;
  cardIds: string[];
  customerIds: string[];
  userIds: string[];
  profile: 'observed' | 'documented';
  headers: Record<string, string>;
  timeoutMs: number;
  /** Requests a second. */
  maxRps: number;
  maxPages: number;
  undeclaredFields: 'report' | 'fail';
  /** Percentage of schema nodes. */
  minCoverage: number;
  /** Absolute path. */
  reportsDir: string;
}

/** A target, and what is wrong with the configuration: one sentence for each mistake. */
export interface Configuration {
  target: Target;
  problems: string[];
}

type Environment = Record<string, string | undefined>;

/** Reads the configuration from the environment and from `.env`, which never overrides it. */
export function readConfiguration(env: Environment = process.env, dotenv = '.env'): Configuration {
  const problems: string[] = [];
  const values = { ...readDotenv(dotenv, problems), ...env };
  return { target: readTarget(values, problems), problems };
}

function readDotenv(file: string, problems: string[]): Environment {
  try {
    return parseEnv(readFileSync(file, 'utf8')) as Environment;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT')
      problems.push(`.env cannot be read (${code ?? 'not a text file'}): mend or remove it`);
    return {};
  }
}

function readTarget(env: Environment, problems: string[]): Target {
  const baseUrl = env.BASE_URL ? readUrl(env.BASE_URL, problems) : undefined;
  const mock = !env.BASE_URL;
  const list = (name: string, seeded: string[]) => (env[name] ? split(env[name]) : mock ? seeded : []);
  const number = (name: string, fallback: number, least: number, most?: number) =>
    readNumber(env, problems, name, fallback, least, most);
  return {
    name: env.TARGET_NAME || (baseUrl ? new URL(baseUrl).host : 'mock'),
    baseUrl,
    cardIds: list('CARD_IDS', identifiers.cardIds),
    customerIds: list('CUSTOMER_IDS', identifiers.customerIds),
    userIds: list('USER_IDS', identifiers.userIds),
    profile: readChoice(env, problems, 'PROFILE', ['observed', 'documented']),
    headers: readHeaders(env.API_HEADERS, problems),
    timeoutMs: number('REQUEST_TIMEOUT_MS', 10_000, 1),
    maxRps: env.MAX_RPS || !mock ? number('MAX_RPS', 10, 0.01) : Number.POSITIVE_INFINITY,
    maxPages: number('MAX_PAGES', 3, 1),
    undeclaredFields: readChoice(env, problems, 'UNDECLARED_FIELDS', ['report', 'fail']),
    minCoverage: number('MIN_COVERAGE', mock ? 100 : 0, 0, 100),
    reportsDir: path.resolve(env.REPORTS_DIR || 'reports'),
  };
}

const split = (text: string) => [...new Set(text.split(',').map((part) => part.trim()))].filter(Boolean);

function readUrl(text: string, problems: string[]): string | undefined {
  const problem = (reason: string) =>
    void problems.push(`BASE_URL ${reason}, for example https://api.example.com`);
  if (!URL.canParse(text)) return problem('is not a URL: give scheme and host');
  const { protocol, search, hash } = new URL(text);
  if (!/^https?:$/.test(protocol)) return problem('must begin with http:// or https://');
  if (search || hash) return problem('must not have a query or a fragment');
  return text.replace(/\/+$/, '');
}

function readNumber(
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

function readChoice<T extends string>(env: Environment, problems: string[], name: string, choices: T[]): T {
  const [fallback] = choices as [T];
  const choice = choices.find((known) => known === (env[name] || fallback));
  if (!choice) problems.push(`${name} must be one of: ${choices.join(', ')}`);
  return choice ?? fallback;
}

function readHeaders(text: string | undefined, problems: string[]): Record<string, string> {
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
