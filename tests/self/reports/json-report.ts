import type { JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';

export const listSpecs = ({ specs, suites = [] }: JSONReportSuite): JSONReportSpec[] => [
  ...specs,
  ...suites.flatMap(listSpecs),
];
