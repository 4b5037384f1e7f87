/** How the page words a verdict. */
export const labels: Record<string, RegExp> = {
  pass: /pass (once|\d+ times)/,
  violation: /violation/,
  deviation: /deviation/,
  'not exercised': /not exercised/,
  blocked: /blocked/,
  error: /error/,
};
