import { createRequire } from 'node:module';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Document, Node, Range } from 'yaml';
import { getOwnValue, isObjectOrArray, isRecord, parsePointer } from '../json.ts';
import { readFileSchema, type SpecFileName } from './file-schemas.ts';
import { collectErrors, compileValidator } from './validators.ts';

/** Mistake in `spec/` or `LEDGER_FILE`: one sentence with file, line and correction. Never caused by a target. */
export class ContractError extends Error {
  override name = 'ContractError';
}

/** Key or index on a path into a YAML file, such as `paths` or `0`. */
export type Step = string | number;

/** Parsed YAML file of `spec/`, or the ledger of `LEDGER_FILE`. */
export interface SpecFile {
  name: string;
  value: unknown;
  /**
   * Returns the line, from 1, of the YAML node at a path such as `['components', 'schemas', 'Card']`. Follows each `$ref`. If the
   * path leads to no node, returns the line of the last node on it.
   */
  lineOf(steps: Step[]): number;
  /** Returns file, line and column of that node, such as `spec/openapi.yaml:120:9`, which terminals, editors and GitHub follow. */
  locate(steps: Step[]): string;
}

// Loaded lazily, for a new text or a mistake: loading `yaml` takes as long as reading the contract.
const loadYaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

/** Parses the YAML text of a file of `spec/`. @throws {ContractError} with the line of the first syntax error. */
export function readFile(name: string, text: string): SpecFile {
  const { LineCounter, parseDocument } = loadYaml();
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const findPosition = (steps: Step[]) => lineCounter.linePos(findOffset(document, steps));
  const createSyntaxError = (line: number, message: string) =>
    new ContractError(`${name}, line ${line}: ${message.split('\n')[0]}; correct the YAML`);
  const [error] = document.errors;
  if (error) throw createSyntaxError(lineCounter.linePos(error.pos[0]).line, error.message);
  try {
    return {
      name,
      value: document.toJS(),
      lineOf: (steps) => findPosition(steps).line,
      locate: (steps) => {
        const { line, col } = findPosition(steps);
        return `${name}:${line}:${col}`;
      },
    };
  } catch (problem) {
    // `toJS` throws for aliases that cannot be resolved, and does not tell their line: line 1 stands for it.
    throw createSyntaxError(1, (problem as Error).message);
  }
}

const getStartOffset = ({ range }: Node) => (range as Range)[0];

/**
 * Creates the error for a mistake at a path in a file: `spec/ledger.yaml, line 30: MESSAGE`.
 * @param message what is wrong, and at its end what to do, such as "correct the name"
 */
export const createContractError = ({ name, lineOf }: SpecFile, steps: Step[], message: string) =>
  new ContractError(`${name}, line ${lineOf(steps)}: ${message}`);

/** YAML node, and the offset in characters where it begins. The node of a map's entry begins at its key. */
interface NodePlace {
  node: unknown;
  offset: number;
}

/** Returns the offset of the YAML node at a path. If the path leads to no node, returns the offset of the last node on it. */
function findOffset(document: Document, steps: Step[]): number {
  const { contents } = document;
  const start: NodePlace = { node: contents, offset: contents ? getStartOffset(contents) : 0 };
  return steps.reduce<NodePlace>((place, step) => findChild(document, place.node, step) ?? place, start)
    .offset;
}

/**
 * Finds the child of a YAML node under a key or an index. If a map lacks the key and has a `$ref`, finds the child at the target of
 * the `$ref`. Undefined if there is none.
 */
function findChild(document: Document, node: unknown, step: Step): NodePlace | undefined {
  const { isMap, isSeq } = loadYaml();
  if (isSeq(node)) {
    const element = node.items[Number(step)] as Node | undefined;
    return element && { node: element, offset: getStartOffset(element) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => String(key) === String(step));
  if (pair) return { node: pair.value, offset: getStartOffset(pair.key as Node) };
  const reference = node.get('$ref');
  if (typeof reference !== 'string') return undefined;
  // `#/components/schemas/Card` to its keys.
  const targetKeys = reference.replace(/^#\//, '').split('/');
  const keepScalar = true;
  return findChild(document, document.getIn(targetKeys, keepScalar), step);
}

/**
 * Checks a parsed file against its JSON Schema, such as `ledger.schema.json`. @throws {ContractError} with the line of the first
 * mismatch.
 */
export function checkFileSchema(file: SpecFile, name: SpecFileName): void {
  const errors = collectErrors(compileValidator(readFileSchema(name)), file.value);
  // A misspelt key is both unknown and missing: the unknown key is the clearer message.
  const error = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0];
  if (!error) return;
  const { additionalProperty: unknownName } = error.params;
  const steps = parsePointer(error.instancePath);
  const mistakeSteps = unknownName === undefined ? steps : [...steps, unknownName];
  throw createContractError(file, mistakeSteps, `${formatKeys(steps)}${describeSchemaError(error)}`);
}

/**
 * Describes an error of Ajv in a file of `spec/`, with the correction: `the key "level" is missing; add it`. The `title` of the
 * schema says what the value must be; without one, Ajv's message does.
 */
function describeSchemaError({ keyword, params, parentSchema, message }: ErrorObject): string {
  if (keyword === 'additionalProperties')
    return describeUnknownKey(params.additionalProperty, parentSchema?.properties ?? {});
  if (keyword === 'required') return `the key "${params.missingProperty}" is missing; add it`;
  const demand = keyword === 'enum' ? `must be one of ${params.allowedValues.join(', ')}` : message;
  return `${parentSchema?.title ? `must be ${parentSchema.title}` : demand}; correct it`;
}

/**
 * Formats the message for a key that a file must not have: `unknown key "foo"; correct or remove it, the known keys are id, …`.
 * @param knownKeys object whose keys are the allowed ones
 */
export const describeUnknownKey = (name: string, knownKeys: object) =>
  `unknown key "${name}"; correct or remove it, the known keys are ${Object.keys(knownKeys).join(', ')}`;

/**
 * Formats the keys on the path to a mistake as the beginning of a message: `check pointer: `. Omits indices, because the line
 * already identifies the entry. Returns an empty text without keys.
 */
const formatKeys = (steps: string[]) => {
  const keys = steps.filter((step) => !/^\d+$/.test(step));
  return keys.length > 0 ? `${keys.join(' ')}: ` : '';
};

/**
 * Returns a copy of a value in which the target of each `$ref` replaces it. Keys beside a `$ref` override those of its target.
 * @param steps path of the value in the file
 * @param openReferences texts of the `$ref` that are being resolved, to detect a circle
 * @throws {ContractError} if a `$ref` is broken or circular.
 */
export function resolveReferences(
  file: SpecFile,
  value: unknown,
  steps: Step[],
  openReferences: string[] = [],
): unknown {
  const resolveChild = (child: unknown, step: Step) =>
    resolveReferences(file, child, [...steps, step], openReferences);
  if (Array.isArray(value)) return value.map(resolveChild);
  if (!isRecord(value)) return value;
  const { $ref, ...otherKeys } = value;
  const resolvedKeys = Object.fromEntries(
    Object.entries(otherKeys).map(([key, child]) => [key, resolveChild(child, key)]),
  );
  return $ref === undefined
    ? resolvedKeys
    : { ...resolveReference(file, $ref, [...steps, '$ref'], openReferences), ...resolvedKeys };
}

/**
 * Returns the target of a `$ref` such as `#/components/schemas/Card`, with all `$ref` in it replaced. Adds the name of a component,
 * such as `Card`, as `x-component`.
 * @param referenceSteps path of the `$ref` in the file, for its line in an error
 * @throws {ContractError} if the `$ref` is broken or circular.
 */
function resolveReference(
  file: SpecFile,
  ref: unknown,
  referenceSteps: Step[],
  openReferences: string[],
): object {
  const createReferenceError = (message: string) =>
    createContractError(file, referenceSteps, `${message}; correct the reference`);
  if (typeof ref !== 'string' || !ref.startsWith('#/'))
    throw createReferenceError('a reference must begin with #/');
  if (openReferences.includes(ref)) throw createReferenceError(`${ref} refers to itself`);
  const steps = ref.slice(2).split('/');
  const value = steps.reduce(getOwnValue, file.value);
  if (!isObjectOrArray(value)) throw createReferenceError(`${ref} refers to nothing`);
  const resolvedValue = resolveReferences(file, value, steps, [...openReferences, ref]) as object;
  return steps[0] === 'components' ? { ...resolvedValue, 'x-component': steps.at(-1) } : resolvedValue;
}
