import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { test } from '@playwright/test';
import { root } from './project-files.ts';
import { cleanEnvironment, type Environment } from './whole-run.ts';

export async function runStepScript(script = '', env: Environment = {}, cwd = root) {
  const file = test.info().outputPath('step.sh');
  writeFileSync(file, script);
  const child = spawn('bash', ['--noprofile', '--norc', '-eo', 'pipefail', file], {
    cwd,
    env: { ...cleanEnvironment(), GITHUB_ACTIONS: 'true', CI: 'true', ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (text) => {
      output += text;
    });
  const [code]: (number | null)[] = await once(child, 'close');
  return { code, output };
}
