import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export const operation = 'getPayout';

const operationModule = `import type { Target } from '../client/target.ts';
import { listConfiguredArguments } from './request.ts';
import type { OperationContext } from './operation-file.ts';

/** Looks up each payout of PAYOUT_IDS. */
export default async function ${operation}({ send, target }: OperationContext): Promise<void> {
  await Promise.all(listConfiguredArguments(target, 'PAYOUT_IDS').map((id) => send({ id })));
}

export const estimateRequests = (target: Target) => listConfiguredArguments(target, 'PAYOUT_IDS').length;
`;

const mockRecords = `
const payouts = [
  {
    id: '9a1f0000-0000-4000-8000-000000000001',
    status: 'Paid',
    amount: '120.50',
    paid_on: '2024-02-29',
    recipient: { name: 'Ada Example', iban: 'GB33BUKB20201555555555' },
    items: [{ reference: 'order-1', amount: '100' }, { reference: 'order-2', amount: '20.50', note: 'late' }],
  },
  {
    id: '9a1f0000-0000-4000-8000-000000000002',
    status: 'Failed',
    amount: '7',
    paid_on: '2023-12-31',
    recipient: { name: 'Bo Example', iban: 'DE89370400440532013000' },
    items: [{ reference: 'order-3', amount: '7', note: 'twice' }],
  },
  { id: '9a1f0000-0000-4000-8000-000000000003', status: 'Pending', amount: '0.00', recipient: { name: 'Cy Example' }, items: [] },
];
`;

const mockRoute = `  {
    operation: '${operation}',
    path: '/svc/payment/api/v1/openapi/payouts/:id',
    query: [],
    identifiers: { PAYOUT_IDS: payouts.map(({ id }) => id) },
    handle: ({ id }, choices) => {
      const payout = payouts.find((candidate) => candidate.id === id);
      return payout ? success({ payout }) : createErrorResponse(404, 'payout not found', choices);
    },
  },
`;

const requirementYaml = `
- address: rules/id-is-requested
  operations: [${operation}]
  level: MUST
  statement: the payout is the one that was requested
  source: "4"
  check: { echoes: id, pointer: /data/payout/id }
`;

function insertBefore(file: string, marker: string, insertedText: string): void {
  const text = readFileSync(file, 'utf8');
  const markerStart = text.indexOf(marker);
  if (markerStart < 0) throw new Error(`${file} does not contain "${marker.trim()}"`);
  writeFileSync(file, text.slice(0, markerStart) + insertedText + text.slice(markerStart));
}

/** Adds the operation `getPayout` to the copy of the project in `folder`. */
export function addPayouts(folder: string): void {
  // Follows "Add an operation" in `docs/maintainers.md`.
  const openapiFile = path.join(folder, 'spec/openapi.yaml');
  const mockFile = path.join(folder, 'mock/operations.ts');
  const exampleDocument = readFileSync(new URL('openapi.yaml', import.meta.url), 'utf8');
  const sectionHead = /^paths:\n|^components:\n {2}schemas:\n/m;
  // The document begins with `paths:`, so the text before the first heading is empty.
  const [_textBeforePaths, pathsYaml = '', schemasYaml = ''] = exampleDocument.split(sectionHead);
  insertBefore(openapiFile, 'components:\n', pathsYaml);
  insertBefore(openapiFile, '    Card:\n', schemasYaml);
  appendFileSync(path.join(folder, 'spec/requirements.yaml'), requirementYaml);
  writeFileSync(path.join(folder, `src/operations/${operation}.ts`), operationModule);
  insertBefore(mockFile, '\nexport const operations = [', mockRecords);
  insertBefore(mockFile, '] as const satisfies', mockRoute);
}
