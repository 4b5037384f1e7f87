let hasListeners = false;

/**
 * Makes SIGTERM and SIGHUP end the run with reports, as SIGINT does, because GitLab and Kubernetes send SIGTERM. Ignores errors
 * of stdout and stderr such as EPIPE, so that `npx playwright test | head` still writes its reports.
 */
export function handleSignalsAndStreamErrors(): void {
  // In UI mode each click is a run in the same process, and would add the listeners again.
  if (hasListeners) return;
  hasListeners = true;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // These listeners stay: proper-lockfile ends the process at a signal for which its own listener is the only one.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => process.emit('SIGINT'));
}
