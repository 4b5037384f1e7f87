/** True once this process has the listeners of `handleProcessEvents`. */
let isHandled = false;

/**
 * Makes this process treat SIGTERM and SIGHUP like SIGINT, so that Playwright ends the run and the reports name the interruption:
 * GitLab and Kubernetes send SIGTERM. Ignores errors of stdout and stderr, such as EPIPE, so that `npx playwright test | head`
 * still writes its reports. Calls after the first one do nothing.
 */
export function handleProcessEvents(): void {
  // In UI mode each click is a run in the same process, and would add the listeners again.
  if (isHandled) return;
  isHandled = true;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  // Never removed: proper-lockfile ends the process on a signal for which it is the only listener.
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => process.emit('SIGINT'));
}
