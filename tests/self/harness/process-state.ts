export async function withEnvironment<T>(env: NodeJS.ProcessEnv, use: () => Promise<T>): Promise<T> {
  const originalEnvironment = { ...process.env };
  replaceEnvironment(env);
  try {
    return await use();
  } finally {
    replaceEnvironment(originalEnvironment);
  }
}

/** Changes `process.env` in place, because modules hold a reference to the object. */
function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  Object.assign(process.env, env);
}

export async function captureOutput<T>(use: () => Promise<T>) {
  const captured = { output: '', stdout: '', stderr: '' };
  const names = ['stdout', 'stderr'] as const;
  const originalWrites = names.map((name) => process[name].write);
  for (const name of names)
    process[name].write = (chunk: string | Uint8Array) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      captured.output += text;
      captured[name] += text;
      return true;
    };
  try {
    return { result: await use(), ...captured };
  } finally {
    for (const [index, name] of names.entries())
      process[name].write = originalWrites[index] ?? process[name].write;
  }
}
