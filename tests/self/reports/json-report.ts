import type { JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';

/** Lists the tests of a suite in the report of Playwright's JSON reporter, with those of nested suites. */
export const listSpecs = ({ specs, suites = [] }: JSONReportSuite): JSONReportSpec[] => [
  ...specs,
  ...suites.flatMap(listSpecs),
];
