import type { Operation } from '../../schemas/contract/contract.ts';
import type { Requirement } from '../../schemas/contract/requirements.ts';

/** An annotation that Allure reads as a label. */
export const labelled = (name: string, description: string) => ({
  type: `allure.label.${name}`,
  description,
});

/** What Allure shows of a requirement beside its sentence. */
export function annotations(requirement: Requirement, { tag, summary }: Operation, group: string) {
  const { address, level, source } = requirement;
  return [
    labelled('epic', tag),
    labelled('feature', summary),
    labelled('story', group),
    labelled('severity', level === 'MUST' ? 'critical' : 'normal'),
    { type: 'description', description: `${level}, section ${source} of the contract` },
    { type: 'tms', description: address },
  ];
}
