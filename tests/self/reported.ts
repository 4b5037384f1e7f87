import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { altering, set } from '../../mock/edits.ts';
import type { Alter } from '../../mock/server.ts';
import { startMock } from '../../mock/server.ts';
import { variants } from '../../mock/variants/index.ts';
import { inTurn } from '../../mock/variants/variant.ts';
import { Canaries } from './canaries.ts';
import { runInProcess } from './in-process-run.ts';
import { runSuite, targetOf, type WholeRun } from './whole-run.ts';

/** The kinds of run whose pages a reader may meet. */
export type Kind = 'green' | 'red' | 'deviating' | 'empty' | 'blocked';

/** Every reporter that people read, with the suite in a process of its own, or what the suite itself writes. */
export type Reporters = 'all' | 'own';

/** A run, and how many seconds of a processor its rendering took. */
export type Rendered = WholeRun & { cpuSeconds: number };

/** Runs of each kind, made on first use, over records that are full of marks. */
export class ReportedRuns {
  readonly canaries = new Canaries();
  readonly #runs = new Map<string, Promise<WholeRun>>();
  readonly #rendered = new Map<Kind, Promise<Rendered>>();
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  of(kind: Kind, reporters: Reporters = 'own'): Promise<WholeRun> {
    const key = `${kind}-${reporters}`;
    const known = this.#runs.get(key) ?? this.#run(kind, reporters);
    this.#runs.set(key, known);
    return known;
  }

  /** A run of a kind with its Allure report, rendered once. */
  rendered(kind: Kind): Promise<Rendered> {
    const known = this.#rendered.get(kind) ?? this.#render(kind);
    this.#rendered.set(kind, known);
    return known;
  }

  async #render(kind: Kind): Promise<Rendered> {
    const run = await this.of(kind, 'all');
    return { ...run, cpuSeconds: render(run.reportsDir) };
  }

  async #run(kind: Kind, reporters: Reporters): Promise<WholeRun> {
    const { alter, env = {}, after } = kinds[kind];
    const earlier = after && (await this.of(after));
    const previous = earlier ? { PREVIOUS: path.join(earlier.reportsDir, 'conformance.json') } : {};
    const REPORTS_DIR = path.join(this.#folder, `${kind}-${reporters}`);
    return reported(this.canaries, alter(this.canaries), { REPORTS_DIR, ...previous, ...env }, reporters);
  }
}

interface Recipe {
  alter(canaries: Canaries): Alter;
  env?: Record<string, string>;
  /** The kind of run that it is compared with. */
  after?: Kind;
}

const kinds: Record<Kind, Recipe> = {
  green: { alter: () => (answer) => answer },
  red: { alter: (canaries) => inTurn(deviation(), broken(canaries)), after: 'green' },
  deviating: { alter: () => deviation(), after: 'green' },
  empty: { alter: () => emptied, env: { CARD_IDS: '', USER_IDS: '' } },
  blocked: { alter: () => (answer) => ({ ...answer, status: 401 }) },
};

export const runKinds = Object.keys(kinds) as Kind[];

/** Breaks a pattern, an enumeration, a type, presence, a status of one parameter's value, and a rule. */
const broken = (canaries: Canaries): Alter =>
  inTurn(
    altering('getCard', set('data/card/expiration_date', canaries.text('expiration date'))),
    altering('getCard', set('data/card/physical_status', 'Frozen')),
    altering('getCard', set('data/card/id', '11111111-2222-4333-8444-555555555555')),
    altering('listCustomers', set('data/customers/1/phone', 4_915_112_345)),
    altering('listCustomers', set('data/customers/0/uuid', undefined)),
    altering('getFeeRules', set('code', 0)),
  );

const odd = variants.filter(({ name }) => /p_user_id, and|not known to occur/.test(name));
const deviation = () => inTurn(...odd.flatMap(({ alter }) => alter ?? []));

const emptied = altering('listCustomers', set('data/customers', []));

async function reported(canaries: Canaries, alter: Alter, env: Record<string, string>, reporters: Reporters) {
  const mock = await startMock({ alter: inTurn(marked(canaries), alter) });
  const headers = { API_HEADERS: JSON.stringify({ 'X-Api-Key': canaries.of('key') }) };
  try {
    const all = { ...targetOf(mock.url), TARGET_NAME: 'staging', ...headers, ...env };
    return await (reporters === 'all' ? runSuite(all, []) : runInProcess(all));
  } finally {
    await mock.close();
  }
}

const personal = /^(title|name|email|phone|token|holder_name|number|error_msg|message)$/;

/** Puts marks into free text of each record. */
export const marked =
  (canaries: Canaries): Alter =>
  (answer) => ({
    ...answer,
    body: JSON.parse(JSON.stringify(answer.body), (name, value) =>
      personal.test(name) && typeof value === 'string' ? canaries.text(name) : value,
    ),
  });

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Renders as `npm run conformance` does, and says how many seconds of a processor that took. @throws when it fails. */
export function render(reportsDir: string): number {
  const { status, stderr } = spawnSync('bash', ['-c', "TIMEFORMAT='%U %S'; time npm run --silent render"], {
    cwd: root,
    env: { ...process.env, REPORTS_DIR: reportsDir },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`npm run render ended with ${status}: ${stderr}`);
  const [user, system] = stderr.trim().split('\n').at(-1)?.split(' ') ?? [];
  return Number(user) + Number(system);
}
