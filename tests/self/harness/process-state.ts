export async function withEnvironment<T>(env: NodeJS.ProcessEnv, use: () => Promise<T>): Promise<T> {
  const originalEnvironment = { ...process.env };
  replaceEnvironment(env);
  try {
    return await use();
  } finally {
    replaceEnvironment(originalEnvironment);
  }
}

/** Replaces all variables of `process.env` in place. */
function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  // In place, because other modules refer to the object.
  const removedNames = Object.keys(process.env).filter((name) => !Object.hasOwn(env, name));
  for (const name of removedNames) delete process.env[name];
  Object.assign(process.env, env);
}

/** Calls `use` and captures stdout and stderr; `output` has both in order. */
export async function captureOutput<T>(
  use: () => Promise<T>,
): Promise<{ result: T; output: string; stdout: string; stderr: string }> {
  const captured = { output: '', stdout: '', stderr: '' };
  const originalWrites = { stdout: process.stdout.write, stderr: process.stderr.write };
  const captureWrites = (name: 'stdout' | 'stderr') => {
    process[name].write = (chunk: string | Uint8Array) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      captured.output += text;
      captured[name] += text;
      return true;
    };
  };
  captureWrites('stdout');
  captureWrites('stderr');
  try {
    return { result: await use(), ...captured };
  } finally {
    process.stdout.write = originalWrites.stdout;
    process.stderr.write = originalWrites.stderr;
  }
}
