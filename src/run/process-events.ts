let isHandled = false;

/**
 * Ends a run on SIGTERM and SIGHUP as on SIGINT, so that its reports say so (GitLab and Kubernetes send SIGTERM), and lets it go
 * on to its reports when nobody reads its output any more, as in `npx playwright test | head`.
 */
export function handleProcessEvents(): void {
  // In UI mode each click is a run of the same process.
  if (isHandled) return;
  isHandled = true;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // Stays in place: proper-lockfile ends the process by the signal if it finds itself the only listener.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => process.emit('SIGINT'));
}
