import { cpSync } from 'node:fs';
import path from 'node:path';
import { type Alter, startMock } from '../../../mock/server.ts';
import { variants } from '../proof/variants/index.ts';
import { Canaries } from '../redaction/canaries.ts';
import { altering, inTurn, set } from './edits.ts';
import { runInProcess } from './in-process-run.ts';
import { configureTarget, type WholeRun } from './whole-run.ts';

export type PageKind = 'red' | 'green' | 'deviating' | 'empty' | 'blocked';

/** Runs the suite once for each `PageKind` that a test needs. Canaries, which are random texts, replace personal texts of the mock. */
export class ReportedRuns {
  readonly canaries = new Canaries();
  readonly #runs = new Map<PageKind, Promise<WholeRun>>();
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  of(kind: PageKind): Promise<WholeRun> {
    const startedRun = this.#runs.get(kind) ?? this.#run(kind);
    this.#runs.set(kind, startedRun);
    return startedRun;
  }

  async #run(kind: PageKind): Promise<WholeRun> {
    const { alter, env = {}, after } = kinds[kind];
    const earlier = after && (await this.of(after));
    const REPORTS_DIR = path.join(this.#folder, kind);
    // The reporter compares a run with the one that it has kept in this folder of the reports.
    if (earlier) cpSync(`${earlier.reportsDir}/previous`, `${REPORTS_DIR}/previous`, { recursive: true });
    return runReporting(this.canaries, alter(this.canaries), { REPORTS_DIR, ...env });
  }
}

interface Recipe {
  alter(canaries: Canaries): Alter;
  env?: Record<string, string>;
  /** Run with which the report compares this one; default: none. */
  after?: PageKind;
}

const kinds: Record<PageKind, Recipe> = {
  red: { alter: (canaries) => inTurn(createDeviation(), breakRequirements(canaries)), after: 'green' },
  green: { alter: () => (response) => response },
  deviating: { alter: () => createDeviation(), env: { PROBES: 'on' }, after: 'green' },
  empty: { alter: () => emptyCustomerList, env: { CARD_IDS: '', USER_IDS: '' } },
  blocked: { alter: () => (response) => ({ ...response, status: 401 }), env: { TARGET_NAME: 'production' } },
};

export const runKinds = Object.keys(kinds) as PageKind[];

const breakRequirements = (canaries: Canaries): Alter =>
  inTurn(
    altering('getCard', set('data/card/expiration_date', canaries.text('expiration date'))),
    altering('getCard', set('data/card/physical_status', 'Mislaid')),
    altering('getCard', set('data/card/id', '11111111-2222-4333-8444-555555555555')),
    altering('listCustomers', set('data/customers/1/phone', 4_915_112_345)),
    altering('listCustomers', set('data/customers/0/uuid', undefined)),
    altering('getFeeRules', set('code', 0)),
  );

const deviatingVariants = variants.filter(({ name }) => /p_user_id, and|not known to occur/.test(name));
const createDeviation = () => inTurn(...deviatingVariants.flatMap(({ alter }) => alter ?? []));

const emptyCustomerList = altering('listCustomers', set('data/customers', []));

async function runReporting(canaries: Canaries, alter: Alter, env: Record<string, string>) {
  const mock = await startMock({ alter: inTurn(markFreeText(canaries), alter) });
  const headers = { API_HEADERS: JSON.stringify({ 'X-Api-Key': canaries.of('key') }) };
  try {
    return await runInProcess({ ...configureTarget(mock.url), TARGET_NAME: 'staging', ...headers, ...env });
  } finally {
    await mock.close();
  }
}

/** Causes every verdict. Violates only one requirement, because Playwright starts a new worker process after each failed test. */
export const causeEveryVerdict = (canaries: Canaries): Alter => {
  const causeViolation = altering('getFeeRules', set('code', canaries.text('code')));
  const leaveLimitsUnexercised = altering('getCard', set('data/card/limits', []));
  const blockCustomers = altering('getCustomer', (response) => ({ ...response, status: 503 }));
  const causeVerdicts = [createDeviation(), causeViolation, leaveLimitsUnexercised, blockCustomers];
  return inTurn(markFreeText(canaries), ...causeVerdicts);
};

const personalFields = /^(title|name|email|phone|token|holder_name|number|error_msg|message)$/;

const markFreeText =
  (canaries: Canaries): Alter =>
  (response) => ({
    ...response,
    body: JSON.parse(JSON.stringify(response.body), (name, value) =>
      personalFields.test(name) && typeof value === 'string' ? canaries.text(name) : value,
    ),
  });
