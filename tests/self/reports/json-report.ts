import type { JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';

/** Lists the tests of a suite and of all suites inside it. */
export const listSpecs = ({ specs, suites = [] }: JSONReportSuite): JSONReportSpec[] => [
  ...specs,
  ...suites.flatMap(listSpecs),
];
