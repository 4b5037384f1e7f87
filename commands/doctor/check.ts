/** What one line of the doctor says: in order, worth a look, or wrong, which makes its exit status 1. */
export interface Check {
  state: 'ok' | 'note' | 'wrong';
  about: string;
  says: string;
}

/** @param says what is in order */
export const ok = (about: string, says: string): Check => ({ state: 'ok', about, says });

/** @param says what is worth a look, and keeps no run from its verdict */
export const note = (about: string, says: string): Check => ({ state: 'note', about, says });

/** @param says what is wrong, and what to do */
export const wrong = (about: string, says: string): Check => ({ state: 'wrong', about, says });

const signs = { ok: '✓', note: '!', wrong: '✗' } as const;

/** One line for each check. */
export const linesOf = (checks: Check[]): string =>
  checks.map(({ state, about, says }) => `${signs[state]} ${about.padEnd(13)} ${says}\n`).join('');
