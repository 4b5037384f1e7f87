import { cpSync } from 'node:fs';
import path from 'node:path';
import type { Alter } from '../../../mock/server.ts';
import { startMock } from '../../../mock/server.ts';
import { variants } from '../proof/variants/index.ts';
import { inTurn } from '../proof/variants/variant.ts';
import { Canaries } from '../redaction/canaries.ts';
import { altering, set } from './edits.ts';
import { runInProcess } from './in-process-run.ts';
import { configureTarget, type WholeRun } from './whole-run.ts';

/** Kind of a run whose pages are tested; `kinds` has the mock and the variables of each. The red run has every kind of failure. */
export type PageKind = 'red' | 'green' | 'deviating' | 'empty' | 'blocked';

/**
 * Runs of each kind, in this process, started by the first `of(kind)` and kept. Free text in the mock's records is replaced by
 * canaries, random marks that must not appear in a report. Only the conformance reporter writes files.
 */
export class ReportedRuns {
  readonly canaries = new Canaries();
  readonly #runs = new Map<PageKind, Promise<WholeRun>>();
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the run of a kind. The first call starts it. */
  of(kind: PageKind): Promise<WholeRun> {
    const startedRun = this.#runs.get(kind) ?? this.#run(kind);
    this.#runs.set(kind, startedRun);
    return startedRun;
  }

  async #run(kind: PageKind): Promise<WholeRun> {
    const { alter, env = {}, after } = kinds[kind];
    const earlier = after && (await this.of(after));
    const REPORTS_DIR = path.join(this.#folder, kind);
    const locatePreviousRun = (folder: string) => path.join(folder, 'previous');
    // The reporter compares a run with the previous one, which it keeps in this folder of the reports.
    if (earlier)
      cpSync(locatePreviousRun(earlier.reportsDir), locatePreviousRun(REPORTS_DIR), { recursive: true });
    return runReporting(this.canaries, alter(this.canaries), { REPORTS_DIR, ...env });
  }
}

/** How a kind of run is made. */
interface Recipe {
  /** Creates the change of the mock's answers. */
  alter(canaries: Canaries): Alter;
  /** Variables of the run besides those of all kinds. */
  env?: Record<string, string>;
  /** Kind of the earlier run to compare with. */
  after?: PageKind;
}

const kinds: Record<PageKind, Recipe> = {
  red: { alter: (canaries) => inTurn(createDeviation(), breakRequirements(canaries)), after: 'green' },
  green: { alter: () => (answer) => answer },
  deviating: { alter: () => createDeviation(), env: { PROBES: 'on' }, after: 'green' },
  empty: { alter: () => emptyCustomerList, env: { CARD_IDS: '', USER_IDS: '' } },
  blocked: { alter: () => (answer) => ({ ...answer, status: 401 }), env: { TARGET_NAME: 'production' } },
};

export const runKinds = Object.keys(kinds) as PageKind[];

/** Violates requirements of several kinds: a pattern, an enumeration, the id of the requested card, a type, presence, and `code`. */
const breakRequirements = (canaries: Canaries): Alter =>
  inTurn(
    altering('getCard', set('data/card/expiration_date', canaries.text('expiration date'))),
    altering('getCard', set('data/card/physical_status', 'Mislaid')),
    altering('getCard', set('data/card/id', '11111111-2222-4333-8444-555555555555')),
    altering('listCustomers', set('data/customers/1/phone', 4_915_112_345)),
    altering('listCustomers', set('data/customers/0/uuid', undefined)),
    altering('getFeeRules', set('code', 0)),
  );

/** Changes of the mock that a ledger entry tolerates: `p_user_id` instead of `user_id`, and a value that the contract does not list. */
const deviatingVariants = variants.filter(({ name }) => /p_user_id, and|not known to occur/.test(name));
/** Creates the change of the mock that applies all `deviatingVariants` one after the other. */
const createDeviation = () => inTurn(...deviatingVariants.flatMap(({ alter }) => alter ?? []));

const emptyCustomerList = altering('listCustomers', set('data/customers', []));

/** Runs the suite in this process against a changed mock with canaries, one of them as the API key. */
async function runReporting(canaries: Canaries, alter: Alter, env: Record<string, string>) {
  const mock = await startMock({ alter: inTurn(markFreeText(canaries), alter) });
  const headers = { API_HEADERS: JSON.stringify({ 'X-Api-Key': canaries.of('key') }) };
  try {
    return await runInProcess({ ...configureTarget(mock.url), TARGET_NAME: 'staging', ...headers, ...env });
  } finally {
    await mock.close();
  }
}

/**
 * Changes the mock so that a run has every verdict: deviations, an empty list (not exercised), an unavailable operation (blocked), and
 * one violation. More violations would take longer, because Playwright replaces its worker after each failed test. The violation is
 * a wrong `code` here, a missing field in `whole-run.spec.ts`, and a wrong value in `canaries.spec.ts`.
 */
export const ofEveryVerdict = (canaries: Canaries): Alter =>
  inTurn(
    markFreeText(canaries),
    createDeviation(),
    altering('getFeeRules', set('code', canaries.text('code'))),
    altering('getCard', set('data/card/limits', [])),
    altering('getCustomer', (answer) => ({ ...answer, status: 503 })),
  );

/** Names of fields with free text, such as names of people. */
const personalFields = /^(title|name|email|phone|token|holder_name|number|error_msg|message)$/;

/** Replaces each text in `personalFields` of an answer with a canary. */
const markFreeText =
  (canaries: Canaries): Alter =>
  (answer) => ({
    ...answer,
    body: JSON.parse(JSON.stringify(answer.body), (name, value) =>
      personalFields.test(name) && typeof value === 'string' ? canaries.text(name) : value,
    ),
  });
