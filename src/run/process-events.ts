let isHandled = false;

/**
 * Ends a run on SIGTERM and SIGHUP as on SIGINT, so that its reports name the interruption (GitLab and Kubernetes send SIGTERM).
 * Ignores errors of the output streams, such as EPIPE, so that `npx playwright test | head` still writes its reports.
 */
export function handleProcessEvents(): void {
  // Each click in UI mode is a run of the same process.
  if (isHandled) return;
  isHandled = true;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // Never removed: proper-lockfile ends the process on a signal for which it is the only listener.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => process.emit('SIGINT'));
}
