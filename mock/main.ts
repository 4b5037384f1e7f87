import { parseArgs } from 'node:util';
import { identifiers } from './seed.ts';
import { type Mock, startMock } from './server.ts';

/** Where to listen: the argument, else the environment, else any free port. */
function portAsked(): number {
  const { values } = parseArgs({ options: { port: { type: 'string' } } });
  const [name, text] =
    values.port === undefined ? ['PORT', process.env.PORT || '0'] : ['--port', values.port];
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535) {
    throw new Error(`${name} must be a whole number from 0 to 65535, not "${text}"`);
  }
  return port;
}

/** One line that says what went wrong and what to do about it. */
function reasonOf(error: unknown): string {
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `port ${port} is already in use: choose another with --port N, or none at all`;
  if (code === 'EACCES') return `port ${port} may not be opened by this user: choose one above 1023`;
  return message.split('\n')[0] ?? message;
}

/** Lines for a shell: the address is a comment, so that all of it can be pasted. */
function announce(mock: Mock): void {
  const { cardIds, customerIds, userIds } = identifiers;
  const lines = [
    `# The mock listens at ${mock.url} (Ctrl+C stops it). To point the suite at it:`,
    `export BASE_URL=${mock.url}`,
    `export CARD_IDS=${cardIds.join(',')}`,
    `export CUSTOMER_IDS=${customerIds.join(',')}`,
    `export USER_IDS=${userIds.join(',')}`,
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

try {
  const mock = await startMock({ port: portAsked() });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => mock.close());
  announce(mock);
} catch (error) {
  process.stderr.write(`mock: ${reasonOf(error)}\n`);
  process.exitCode = 1;
}
