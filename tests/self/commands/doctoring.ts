import { writeFileSync } from 'node:fs';
import { test } from '@playwright/test';
import { linesOf } from '../../../commands/doctor/check.ts';
import { examine } from '../../../commands/doctor/examine.ts';
import { contractOrProblem } from '../../../schemas/contract/contract.ts';
import { readConfiguration } from '../../configuration/target.ts';

/** What the doctor says of a configuration. */
export async function said(env: Record<string, string>, dotenv = ''): Promise<string> {
  const file = test.info().outputPath('.env');
  writeFileSync(file, dotenv);
  return linesOf(await examine(readConfiguration(env, file), contractOrProblem()));
}
