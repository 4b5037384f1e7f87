import type { Contract } from '../../../schemas/contract/contract.ts';
import type { Target } from '../../configuration/target.ts';
import { accepted } from '../../probes/answers/treatment.ts';
import { decimalForm, placesOf } from '../../probes/digest/tallied-values.ts';
import { certain, either, unknown } from '../../probes/evidence.ts';
import { printIn, probed } from '../../probes/inferences.ts';
import type { OperationQuestions } from '../../probes/operation-questions.ts';
import {
  hasCredentials,
  invented,
  inventedProbe,
  type Probe,
  pathTo,
  queryProbes,
} from '../../probes/probes.ts';
import type { RecordedExchange } from '../../probes/recorded-exchange.ts';

const rulesIn = (recorded: RecordedExchange | undefined) => printIn('fee_rules', recorded);

const [ofBusiness, empty, otherRules] = ['the rules of the business', 'an empty list', 'other rules'];

const withBusiness = 'user-id-with-business';

/** The query for the rules of the user whom another request names. */
const ofUser = ({ parameters }: RecordedExchange) =>
  `type=user&user_id=${encodeURIComponent(parameters.get('user_id') ?? '')}`;

/** How fee rules compare to those of the business. */
const rules = (id: string) =>
  probed(id, (recorded, { asked }) => {
    const business = asked('getFeeRules', 'type=business');
    const [own, others] = [rulesIn(recorded), rulesIn(business)];
    if (business?.outcome.kind !== 'answered' || others === 'none')
      return unknown('there are no rules of the business to compare with', recorded);
    const answer = own === 'none' ? empty : own === others ? ofBusiness : otherRules;
    const named = id === withBusiness ? asked('getFeeRules', ofUser(recorded)) : undefined;
    // A user who has no other rules does not show whether those of the user are meant.
    const isTelling = named?.outcome.kind !== 'answered' || ![others, 'none'].includes(rulesIn(named));
    return isTelling || answer === otherRules
      ? certain(answer, recorded)
      : either(answer, otherRules, recorded, named);
  });

const queries = {
  'missing-type': '',
  'unknown-type': 'type=nobody',
  'type-letter-case': 'type=Business',
  'empty-user-id': 'type=user&user_id=',
  'unknown-user': `type=user&user_id=${invented.unknown}`,
  'missing-user-id': 'type=user',
};

function probes(target: Target, contract: Contract): Probe[] {
  const business = pathTo(contract, 'getFeeRules', 'type=business');
  const user = encodeURIComponent(target.identifiers.USER_IDS?.[0] ?? invented.unknown);
  return [
    ...queryProbes(contract, 'getFeeRules', queries),
    { ...inventedProbe('accept-any', business, { accept: '*/*' }), ordinary: true },
    inventedProbe('accept-other', business, { accept: 'text/html' }),
    ...(hasCredentials(target) ? [inventedProbe('no-credentials', business, { anonymous: true })] : []),
    { id: withBusiness, path: `${business}&user_id=${user}` },
  ];
}

const fees = ['fixed_fee', 'percentage_fee'].map((name) => `/data/fee_rules/*/${name}`);

/** What the contract leaves open about fee rules, and what is asked with the help of them. */
export const questions: OperationQuestions = {
  probes,
  tallied: { 'fee-forms': { places: placesOf('getFeeRules', ...fees), describe: decimalForm } },
  inferences: {
    ...Object.fromEntries([...Object.keys(queries), withBusiness].map((id) => [id, rules(id)])),
    'accept-any': accepted('accept-any'),
    'accept-other': accepted('accept-other'),
  },
};
