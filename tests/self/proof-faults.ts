import { conditional } from '../../mock/faults/conditional.ts';
import { relations } from '../../mock/faults/relations.ts';
import { relatedFields } from '../../mock/faults/relations-of-cards-and-rules.ts';
import type { Observation } from '../client/observation.ts';
import { allOf, operationOf, type Placed } from './batches.ts';
import { judgeProvider, type ProfileResult, readingsOf } from './provider.ts';
import { asked, isOf, short } from './request-selectors.ts';

/** What goes red in either profile. */
export interface Proof {
  observed: AddressesByVerdict;
  documented: AddressesByVerdict;
}

export type AddressesByVerdict = Pick<ProfileResult, 'violated' | 'deviating' | 'blocked'>;

/** The result of a batch of faults: where each of them is, and all in all. */
export interface BatchProof extends Proof {
  each: Proof[];
}

/** What both profiles make of observations. */
export function proofOf(observations: Observation[], settings?: Parameters<typeof readingsOf>[1]): Proof {
  const { observed, documented } = readingsOf(observations, settings);
  const addressesByVerdict = ({ violated, deviating, blocked }: ProfileResult): AddressesByVerdict => ({
    violated,
    deviating,
    blocked,
  });
  return { observed: addressesByVerdict(observed), documented: addressesByVerdict(documented) };
}

/** Pages are followed, and long, only where that is what matters. */
export const thorough = { choices: {}, maxPages: 3 };
export const brief = { choices: short, maxPages: 1 };

const followed = new Set([...conditional, ...relatedFields, ...relations]);

/** What both profiles make of one provider with several faults. */
export async function proveFaults(batch: Placed[]): Promise<BatchProof> {
  const undeclared = batch.some(({ fault }) => fault.undeclared) ? { undeclaredFields: 'fail' as const } : {};
  const { choices, maxPages } = batch.some(({ fault }) => followed.has(fault)) ? thorough : brief;
  const settings = { identifiers: asked, maxPages, ...undeclared };
  const { observations } = await judgeProvider({ choices, alter: allOf(batch) }, settings);
  const whole = proofOf(observations, settings);
  const each = batch.map(({ fault, selector }) => {
    const own = observations.filter((one) => selector && isOf(selector, one));
    return selector ? proofOf(own, settings) : within(operationOf(fault), whole);
  });
  return { ...whole, each };
}

/** The part of a proof that is about one operation. */
function within(operation: string, { observed, documented }: Proof): Proof {
  const own = (addresses: string[]) => addresses.filter((address) => address.startsWith(`${operation}/`));
  const sortedAddresses = ({ violated, deviating, blocked }: AddressesByVerdict): AddressesByVerdict => ({
    violated: own(violated),
    deviating: own(deviating),
    blocked: own(blocked),
  });
  return { observed: sortedAddresses(observed), documented: sortedAddresses(documented) };
}
