import { fitsPath, literal } from '../request.ts';
import type { SweptList } from '../session.ts';
import { keyName, listPointer } from './customers-page.ts';

/** The whole list of customers, not narrowed to a source (contract 4.2), and the lookup of one (contract 4.3). */
export const sweptList: SweptList = {
  noun: 'customers',
  pointer: listPointer,
  key: keyName,
  page: (limit, offset) => ({ limit: literal(String(limit)), offset: literal(String(offset)) }),
  lookup: (uuid, label, shell) =>
    fitsPath(uuid)
      ? { operation: 'getCustomer', parameters: { id: { value: uuid, label, shell } } }
      : undefined,
};
