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

/** Calls a function, and keeps what it prints to stdout and stderr meanwhile. */
export async function captureOutput<T>(use: () => Promise<T>): Promise<{ result: T; output: string }> {
  const streams = [process.stdout, process.stderr];
  const before = streams.map((stream) => stream.write);
  let output = '';
  const write = (chunk: string | Uint8Array) => {
    output += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    return true;
  };
  for (const stream of streams) stream.write = write;
  try {
    return { result: await use(), output };
  } finally {
    for (const [index, stream] of streams.entries()) stream.write = before[index] ?? stream.write;
  }
}
