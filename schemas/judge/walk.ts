import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Schema } from '../contract/contract.ts';
import { describeExpectation } from '../contract/expectations.ts';
import { findToleratingEntry, type LedgerEntry } from '../contract/ledger.ts';
import { formatAddress, type Node } from '../contract/nodes.ts';
import { formatOccurringValuesAddress, formatRuleAddress } from '../contract/requirements.ts';
import { collectErrors } from '../contract/validators.ts';
import { appendStep, getOwnValue, isRecord } from '../json.ts';
import type { Findings, JudgeContext } from './findings.ts';
import type { Violation } from './judged.ts';
import type { NodeChecks } from './node-checks.ts';
import { findDeclaredFieldsRule } from './rules.ts';

/** Position of a walk through a body along its schema, with the exchange and its findings. */
interface WalkContext extends JudgeContext {
  /** Indices of the array elements on the path to the position, outermost first: `[3]` for `/data/customers/3/uuid`. */
  indices: number[];
}

/**
 * Fills the indices of the walk into the pointer of a schema node: with the index 3, `/data/customers/*` becomes
 * `/data/customers/3`.
 */
function fillIndices({ indices }: WalkContext, { pointer }: Node): string {
  const remainingIndices = indices.values();
  // Matches a `*` that is a whole step.
  return pointer.replace(/(?<=\/)\*(?=\/|$)/g, () => String(remainingIndices.next().value));
}

/**
 * Judges the body of a success, or a part of it, and counts which requirements were judged and which coverage states occurred.
 * Recurses into elements and declared fields.
 */
export function judgeValue(context: WalkContext, plan: NodeChecks, value: unknown): void {
  const { findings, indices } = context;
  const { node, validate, items, fields } = plan;
  if (validate)
    for (const error of collectErrors(validate, value))
      findings.add(createViolation(node, error, fillIndices(context, node)));
  exerciseNode(findings, plan, value);
  if (items && Array.isArray(value))
    for (const [index, element] of value.entries())
      judgeValue({ ...context, indices: [...indices, index] }, items, element);
  if (fields.size === 0 || !isRecord(value)) return;
  for (const [name, field] of fields) {
    const isPresent = Object.hasOwn(value, name);
    coverPresence(findings, field, isPresent);
    if (isPresent) judgeValue(context, field, value[name]);
  }
  const unnamedFields = Object.keys(value).filter((name) => !fields.has(name));
  if (unnamedFields.length > 0) judgeUnnamedFields(context, plan, value, unnamedFields);
}

/**
 * Counts the requirements that a value at a schema node is judged by, and the coverage state of a documented value such as
 * `…/status = Active`.
 */
function exerciseNode(findings: Findings, { exercised, states }: NodeChecks, value: unknown): void {
  for (const requirement of exercised) findings.countJudgement(requirement);
  // Most nodes have no documented values, so that no lookup is needed.
  const state = states.values.size > 0 ? states.values.get(value) : undefined;
  if (state !== undefined) findings.countState(state);
}

/** Counts that an optional field is present or absent; counts nothing for a required field. */
function coverPresence(findings: Findings, { states: { presence } }: NodeChecks, isPresent: boolean): void {
  if (presence) findings.countState(isPresent ? presence.present : presence.absent);
}

/**
 * Judges the fields of an object that the contract does not name. Adds a violation for each one that has an observed name of a
 * missing field (`x-observed-names`), and an undeclared field for each one that no ledger entry tolerates.
 */
function judgeUnnamedFields(
  context: WalkContext,
  plan: NodeChecks,
  parent: Record<string, unknown>,
  names: string[],
): void {
  const { operation, findings } = context;
  const parentPointer = fillIndices(context, plan.node);
  for (const { node } of plan.fields.values())
    for (const name of getObservedNames(node, parent).filter((observedName) => names.includes(observedName)))
      findings.add({
        requirement: formatAddress(node.operation, node.pointer),
        pointer: appendStep(parentPointer, node.name),
        foundAt: appendStep(parentPointer, name),
        schema: node.schema,
        expected: `a field named ${node.name}`,
        value: undefined,
        parent,
        actual: `a field named ${name} in its place, ${describeType(parent[name])}`,
      });
  const rule = findDeclaredFieldsRule(operation);
  if (!rule) return;
  const requirement = formatRuleAddress(operation.id, rule);
  const [expected, value] = ['only declared fields', undefined];
  for (const name of names) {
    if (isToleratedName(findings.entries, plan, name, parent)) continue;
    const pointer = appendStep(parentPointer, name);
    findings.addUndeclared({ requirement, pointer, expected, value, actual: describeType(parent[name]) });
  }
}

/** Describes the type of a value: "null", "an array", "a string". Omits the value, because it may be confidential. */
function describeType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** Returns the observed names (`x-observed-names`) of a field that an object lacks; an empty list if the object has the field. */
const getObservedNames = ({ name, schema }: Node, parent: Record<string, unknown>): string[] =>
  Object.hasOwn(parent, name) ? [] : (schema['x-observed-names'] ?? []);

/**
 * Returns whether a ledger entry (`accepts.name`) accepts the name of an undeclared field as another name of a missing field of its
 * object.
 */
const isToleratedName = (
  entries: LedgerEntry[],
  { fields }: NodeChecks,
  name: string,
  parent: Record<string, unknown>,
): boolean =>
  entries.some((entry) => {
    if (!('name' in entry.accepts) || entry.accepts.name !== name) return false;
    const { requirement } = entry;
    const nodes = [...fields.values()].map(({ node }) => node);
    const acceptedNode = nodes.find(
      ({ operation, pointer }) => formatAddress(operation, pointer) === requirement,
    );
    if (!acceptedNode) return false;
    // An optional field may be missing, so that another name stands for it only if it was observed.
    if (!acceptedNode.required && !acceptedNode.schema['x-observed-names']?.includes(name)) return false;
    return (
      findToleratingEntry({ requirement, value: getOwnValue(parent, acceptedNode.name), parent }, [entry]) !==
      undefined
    );
  });

/**
 * Converts an error of Ajv to a violation of the field that breaks its schema or is missing.
 * @param partPointer pointer of the validated part of the body, with indices where the pointer of its node has `*`
 */
function createViolation(
  { operation, pointer: nodePointer }: Node,
  error: ErrorObject,
  partPointer: string,
): Violation {
  const { params, instancePath, parentSchema, data } = error;
  const { missingProperty: missingField } = params;
  const isMissing = missingField !== undefined;
  // Ajv reports a missing field at its object; the violation is about the field itself.
  const suffix = isMissing ? `${instancePath}/${missingField}` : instancePath;
  const schema: Schema = isMissing ? parentSchema?.properties?.[missingField] : parentSchema;
  const received = isMissing
    ? {
        value: undefined,
        parent: data as Record<string, unknown>,
        ...locateSimilarField(parentSchema ?? {}, missingField, data as object, partPointer + instancePath),
      }
    : { value: data };
  const place = { pointer: partPointer + suffix, schema, ...received };
  if (error.keyword !== 'x-values-that-occur')
    return {
      ...place,
      requirement: formatAddress(operation, nodePointer + suffix),
      expected: describeExpectation(schema),
    };
  const expected = `one of ${(error.schema as string[]).join(', ')}`;
  return { ...place, requirement: formatOccurringValuesAddress(operation, nodePointer + suffix), expected };
}

/**
 * Locates an undeclared field whose name differs from that of a missing field only in letter case and underscores, as `dialCode`
 * from `dial_code`. Returns no `foundAt` if there is none.
 */
function locateSimilarField(
  { properties = {} }: Schema,
  missingField: string,
  parent: object,
  parentPointer: string,
): Pick<Violation, 'foundAt'> {
  const name = Object.keys(parent).find(
    (candidate) => !Object.hasOwn(properties, candidate) && foldName(candidate) === foldName(missingField),
  );
  return name === undefined ? {} : { foundAt: appendStep(parentPointer, name) };
}

/** Reduces a field name to the form that is compared: without underscores, in lower case. */
const foldName = (name: string): string => name.replaceAll('_', '').toLowerCase();
