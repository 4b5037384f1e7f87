/** What a run says whose filter selects no test: it is one of a part, which replaces no report of the whole. */
export const nothingSelected = 'no test was selected: npm run requirements lists what --grep can select';

/** Whether a run was prevented by what its filter selects: nothing, or something that `grepProblem` names. */
export const isSelectionProblem = (problem: string): boolean =>
  problem === nothingSelected || problem.startsWith('--grep');
