import type { Alter } from '../../../../mock/server.ts';
import { altering, type Change, type Condition } from '../../harness/edits.ts';

/** One way in which a provider breaks one requirement. */
export interface Fault {
  name: string;
  /** Address of the requirement that must go red, and no other. */
  breaks: string;
  alter: Alter;
  /** How it reads where what has been observed is tolerated. */
  observed?: 'deviation';
  /** Addresses where it also differs as the contract itself says has been observed. */
  deviates?: string[];
  /** Set for a breach of what is only demanded by `FAIL_ON=undeclared`. */
  undeclared?: true;
}

/** A change of the answers of one operation that breaks a requirement of it. */
export const fault = (name: string, breaks: string, change: Change, when?: Condition): Fault => ({
  name: `${breaks.split('/')[0]}: ${name}`,
  breaks,
  alter: altering(breaks.split('/')[0] ?? '', change, when),
});

/** The operation that a fault is in. */
export const operationOf = ({ breaks }: Pick<Fault, 'breaks'>) => breaks.slice(0, breaks.indexOf('/'));
