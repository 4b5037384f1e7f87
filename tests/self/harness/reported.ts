import { cpSync } from 'node:fs';
import path from 'node:path';
import { type Alter, startMock } from '../../../mock/server.ts';
import { variants } from '../proof/variants/index.ts';
import { Canaries } from '../redaction/canaries.ts';
import { altering, applyInOrder, set } from './edits.ts';
import { runInProcess } from './in-process-run.ts';
import { configureTarget, type WholeRun } from './whole-run.ts';

export type PageKind = 'red' | 'green' | 'deviating' | 'empty' | 'blocked';

/** Runs of the suite against mocks, one for each `PageKind`, shared by tests. */
export class ReportedRuns {
  /** Invented secrets in the responses and in the API key of all runs, so that a test can search the reports for them. */
  readonly canaries = new Canaries();
  readonly #runs = new Map<PageKind, Promise<WholeRun>>();
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  getRun(kind: PageKind): Promise<WholeRun> {
    const startedRun = this.#runs.get(kind) ?? this.#run(kind);
    this.#runs.set(kind, startedRun);
    return startedRun;
  }

  async #run(kind: PageKind): Promise<WholeRun> {
    const { createAlter, env = {}, after } = recipes[kind];
    const REPORTS_DIR = path.join(this.#folder, kind);
    if (after) {
      const earlierRun = await this.getRun(after);
      // The reporter compares a run with the report that it finds in this folder.
      cpSync(`${earlierRun.reportsDir}/previous`, `${REPORTS_DIR}/previous`, { recursive: true });
    }
    return runAgainstMock(this.canaries, createAlter(this.canaries), { REPORTS_DIR, ...env });
  }
}

interface Recipe {
  createAlter(canaries: Canaries): Alter;
  env?: Record<string, string>;
  /** Kind of the earlier run with which the report compares this run. */
  after?: PageKind;
}

const recipes: Record<PageKind, Recipe> = {
  red: {
    createAlter: (canaries) => applyInOrder(createDeviation(), breakRequirements(canaries)),
    after: 'green',
  },
  green: { createAlter: () => keepResponse },
  deviating: { createAlter: () => createDeviation(), env: { PROBES: 'on' }, after: 'green' },
  empty: { createAlter: () => emptyCustomerList, env: { CARD_IDS: '', USER_IDS: '' } },
  blocked: { createAlter: () => rejectWith401, env: { TARGET_NAME: 'production' } },
};

const keepResponse: Alter = (response) => response;
const rejectWith401: Alter = (response) => ({ ...response, status: 401 });

export const runKinds = Object.keys(recipes) as PageKind[];

const breakRequirements = (canaries: Canaries): Alter =>
  applyInOrder(
    // A random text, in place of a value that no report may show.
    altering('getCard', set('data/card/expiration_date', canaries.getTextToEncode('expiration date'))),
    altering('getCard', set('data/card/physical_status', 'Mislaid')),
    altering('getCard', set('data/card/id', '11111111-2222-4333-8444-555555555555')),
    altering('listCustomers', set('data/customers/1/phone', 4_915_112_345)),
    altering('listCustomers', set('data/customers/0/uuid', undefined)),
    altering('getFeeRules', set('code', 0)),
  );

const deviatingVariants = variants.filter(({ name }) => /p_user_id, and|not known to occur/.test(name));
const createDeviation = () => applyInOrder(...deviatingVariants.flatMap(({ alter }) => alter ?? []));

const emptyCustomerList = altering('listCustomers', set('data/customers', []));

async function runAgainstMock(canaries: Canaries, alter: Alter, env: Record<string, string>) {
  const mock = await startMock({ alter: applyInOrder(replacePersonalTexts(canaries), alter) });
  // A random text, in place of a secret that no report may show.
  const headers = { API_HEADERS: JSON.stringify({ 'X-Api-Key': canaries.getCode('key') }) };
  try {
    return await runInProcess({ ...configureTarget(mock.url), TARGET_NAME: 'staging', ...headers, ...env });
  } finally {
    await mock.close();
  }
}

/** Creates an `Alter` under which a run has requirements with every verdict. */
export const causeEveryVerdict = (canaries: Canaries): Alter => {
  // Only one violation, because a run takes longer with each failed test: Playwright then starts a new worker process.
  const causeViolation = altering('getFeeRules', set('code', canaries.getTextToEncode('code')));
  const leaveLimitsUnexercised = altering('getCard', set('data/card/limits', []));
  const blockCustomers = altering('getCustomer', (response) => ({ ...response, status: 503 }));
  const causeVerdicts = [createDeviation(), causeViolation, leaveLimitsUnexercised, blockCustomers];
  return applyInOrder(replacePersonalTexts(canaries), ...causeVerdicts);
};

const personalFields = /^(title|name|email|phone|token|holder_name|number|error_msg|message)$/;

const replacePersonalTexts = (canaries: Canaries): Alter => {
  const replaceText = (name: string, value: unknown) =>
    personalFields.test(name) && typeof value === 'string' ? canaries.getTextToEncode(name) : value;
  return (response) => {
    const bodyJson = JSON.stringify(response.body);
    return { ...response, body: JSON.parse(bodyJson, replaceText) };
  };
};
