const { argv } = process;

/** UI mode, or an editor: Playwright stays open, and each click is a run. */
export const isInteractive = (): boolean =>
  argv[2] === 'test-server' || argv.some((argument) => /^--ui(-host|-port)?(=|$)/.test(argument));

/** `playwright test --list`: nothing is asked or written. */
export const isListing = (): boolean => argv.includes('--list');

/** The process of `playwright test` that runs tests once and ends, not one of its workers. */
export const isSingleRun = (): boolean => argv[2] === 'test' && !isListing() && !isInteractive();
