let hasListeners = false;

/**
 * Treats SIGTERM and SIGHUP like SIGINT, so that the run still writes its reports. Ignores errors of standard output and standard
 * error, which another program such as `head` may close.
 */
export function handleSignalsAndStreamErrors(): void {
  // In UI mode each click is a run in the same process, and would add the listeners again.
  if (hasListeners) return;
  hasListeners = true;
  // For example, `npx playwright test | head` closes standard output (EPIPE).
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // GitLab and Kubernetes send SIGTERM.
  // These listeners stay: proper-lockfile ends the process at a signal for which its own listener is the only one.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => process.emit('SIGINT'));
}
