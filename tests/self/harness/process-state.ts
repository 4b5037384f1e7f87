/** Calls a function while these are all the environment variables there are. */
export async function withEnvironment<T>(env: NodeJS.ProcessEnv, use: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  replaceEnvironment(env);
  try {
    return await use();
  } finally {
    replaceEnvironment(before);
  }
}

/** In place, since modules hold on to `process.env`. */
function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (!Object.hasOwn(env, name)) delete process.env[name];
  Object.assign(process.env, env);
}

/** What a function returned, and what it printed. */
export interface Captured<T> {
  result: T;
  /** stdout and stderr. */
  output: string;
  stdout: string;
  stderr: string;
}

/** Calls a function, and keeps what it prints meanwhile. */
export async function captureOutput<T>(use: () => Promise<T>): Promise<Captured<T>> {
  const said = { output: '', stdout: '', stderr: '' };
  const names = ['stdout', 'stderr'] as const;
  const before = names.map((name) => process[name].write);
  for (const name of names)
    process[name].write = (chunk: string | Uint8Array) => {
      const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      said.output += text;
      said[name] += text;
      return true;
    };
  try {
    return { result: await use(), ...said };
  } finally {
    for (const [index, name] of names.entries()) process[name].write = before[index] ?? process[name].write;
  }
}
