import { http } from './http.ts';
import { identifiers } from './identifiers.ts';
import { lists } from './lists.ts';
import { movingCustomers } from './moving.ts';
import { observed } from './observed.ts';
import { presence } from './presence.ts';
import { rejections } from './rejections.ts';
import { related } from './related.ts';
import { undeclared } from './undeclared.ts';
import { values } from './values.ts';
import type { Variant } from './variant.ts';
import { writing } from './writing.ts';

/** Every provider that a careless suite would reject and the contract does not. */
export const variants: Variant[] = [
  ...presence,
  ...undeclared,
  ...values,
  ...identifiers,
  ...writing,
  ...http,
  ...lists,
  ...movingCustomers,
  ...related,
  ...rejections,
  ...observed,
];
