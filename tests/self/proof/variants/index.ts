import { answers } from './answers.ts';
import { identity } from './identity.ts';
import { lists } from './lists.ts';
import { movingCustomers } from './moving.ts';
import { records } from './records.ts';
import type { Variant } from './variant.ts';

/** Every provider that a careless suite would reject and the contract does not. */
export const variants: Variant[] = [...records, ...answers, ...lists, ...movingCustomers, ...identity];
