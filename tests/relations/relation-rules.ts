import { lastStep } from '../../schemas/contract/check-validation.ts';
import type { Contract, Listed, Operation, Relation, Rule } from '../../schemas/contract/contract.ts';

/** A rule between answers, of one operation. */
export interface RelationRule<Kind = Relation> {
  operation: Operation;
  rule: Rule;
  check: Kind;
}

/** A value of a record that is compared: itself, or whether it is there. */
export interface Field {
  name: string;
  as: 'value' | 'presence';
}

/** What is compared of the records of a list. */
export interface ComparePlan {
  operation: string;
  /** Pointer to what identifies the records. */
  key: string;
  fields: Field[];
}

/** That no two records of a list share a key. */
export type Unique = Extract<Relation, { unique: string }>;
type Constant = Extract<Relation, { constant: string[] }>;

/** The rules between answers, by kind. */
export interface Relations {
  lists: ComparePlan[];
  unique: RelationRule<Unique>[];
  listed: RelationRule<Listed>[];
  constant: RelationRule<Constant>[];
}

/** The rules between answers of a contract. */
export function relationsOf({ operations }: Pick<Contract, 'operations'>): Relations {
  const relations: Relations = { lists: [], unique: [], listed: [], constant: [] };
  for (const operation of operations)
    for (const rule of operation.rules) {
      const { check } = rule;
      if ('unique' in check) relations.unique.push({ operation, rule, check });
      if ('listedBy' in check) relations.listed.push({ operation, rule, check });
      if ('constant' in check) relations.constant.push({ operation, rule, check });
    }
  relations.lists = listsOf(relations);
  return relations;
}

/** The parameter by which a rule looks up what is listed. */
export const parameterOf = (check: Listed | Constant): string =>
  'found' in check ? check.found : check.parameter;

/** Where a lookup shows what a rule compares; undefined where it only has to find the record. */
export function comparedPointer(check: Listed): string | undefined {
  if ('same' in check) return check.same;
  return 'presentAs' in check ? check.presentAs : undefined;
}

/** What a rule compares of a record; nothing where it is only looked up. */
export function comparedField(check: Listed | Unique): Field | undefined {
  if ('unique' in check) return { name: check.named, as: 'value' };
  if ('same' in check) return { name: lastStep(check.same), as: 'value' };
  return 'presentAs' in check ? { name: lastStep(check.presentAs), as: 'presence' } : undefined;
}

/** Whether two rules compare the same of a record. */
export const isSameField = (one: Field, other: Field) => one.name === other.name && one.as === other.as;

function listsOf({ unique, listed }: Relations): ComparePlan[] {
  const lists: ComparePlan[] = [];
  for (const { operation, check } of [...unique, ...listed]) {
    const [id, key] = 'unique' in check ? [operation.id, check.unique] : [check.listedBy, check.key];
    const known = lists.find((list) => list.operation === id && list.key === key);
    const list = known ?? { operation: id, key, fields: [] };
    if (!known) lists.push(list);
    const field = comparedField(check);
    if (field && !list.fields.some((one) => isSameField(one, field))) list.fields.push(field);
  }
  return lists;
}
