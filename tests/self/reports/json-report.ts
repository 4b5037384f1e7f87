import type { JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';

/** Lists the tests of a suite and its nested suites. */
export const listSpecs = ({ specs, suites = [] }: JSONReportSuite): JSONReportSpec[] => [
  ...specs,
  ...suites.flatMap(listSpecs),
];
