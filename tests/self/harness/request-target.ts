import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Contract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../../src/client/target.ts';
import { collectSecrets, Secrets } from '../../../src/redact/secrets.ts';
import { collectResults } from '../../../src/run/collect-results.ts';
import { exportNewRunIdentity } from '../../../src/run/run-identity.ts';
import { RunSession } from '../../../src/run/run-session.ts';
import { RunStore } from '../../../src/run/store.ts';
import type { RunResults } from '../../../src/verdict/results.ts';

/** Sends all requests of a run to a target, and judges the responses. */
export async function requestTarget(contract: Contract, target: Target): Promise<RunResults> {
  const folder = mkdtempSync(path.join(tmpdir(), 'run-'));
  const identity = exportNewRunIdentity();
  const store = new RunStore(folder, identity.id);
  const session = new RunSession({ target, contract, identity, store });
  try {
    await session.sendAllRequests();
    return await collectResults(contract, target, identity, store, new Secrets(collectSecrets(target)));
  } finally {
    await session.close();
    rmSync(folder, { recursive: true });
  }
}
