import { createRequire } from 'node:module';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Document, Node, Range } from 'yaml';
import { getOwnValue, isObjectOrArray, isRecord, parsePointer } from '../json.ts';
import { collectErrors, compileValidator, readFileSchema, type SpecFileName } from './validators.ts';

/**
 * Mistake in a file of `spec/` or in the ledger that `LEDGER_FILE` names, never a fault of the target. The message is one sentence
 * with file, line and correction: `spec/ledger.yaml, line 30: unknown key "foo"; …`.
 */
export class ContractError extends Error {
  override name = 'ContractError';
}

/** Path to a YAML node, as keys and indices: `['paths', '/cards/{id}', 'get', 'parameters', 0]`. */
export type YamlPath = (string | number)[];

/** Parsed YAML file: a file of `spec/`, or the ledger that `LEDGER_FILE` names. */
export interface SpecFile {
  /** Name in messages, such as `spec/openapi.yaml`. */
  name: string;
  /** Parsed content, before each `$ref` is replaced. */
  value: unknown;
  /** Returns the line (from 1) of the YAML node at a path or, if missing, of the deepest existing node. Follows each `$ref`. */
  getLine(yamlPath: YamlPath): number;
  /** Formats name, line and column of the YAML node that `getLine` finds: `spec/openapi.yaml:120:9`. */
  formatLocation(yamlPath: YamlPath): string;
}

// Loaded lazily, for a new text or a mistake: loading `yaml` takes as long as reading the contract.
const loadYaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

/** Parses a YAML text. @param name file name for messages. @throws {ContractError} with the line of the first syntax error. */
export function parseSpecFile(name: string, text: string): SpecFile {
  const { LineCounter, parseDocument } = loadYaml();
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [syntaxError] = document.errors;
  if (syntaxError) throw createSyntaxError(name, lineCounter.linePos(syntaxError.pos[0]).line, syntaxError);
  const findPosition = (yamlPath: YamlPath) => lineCounter.linePos(findOffset(document, yamlPath));
  return {
    name,
    value: convertToValue(document, name),
    getLine: (yamlPath) => findPosition(yamlPath).line,
    formatLocation: (yamlPath) => {
      const { line, col } = findPosition(yamlPath);
      return `${name}:${line}:${col}`;
    },
  };
}

const createSyntaxError = (fileName: string, line: number, { message }: Error) =>
  new ContractError(`${fileName}, line ${line}: ${message.split('\n')[0]}; correct the YAML`);

/** Converts a YAML document to objects and arrays. @throws {ContractError} if an alias such as `*name` cannot be resolved. */
function convertToValue(document: Document, fileName: string): unknown {
  try {
    return document.toJS();
  } catch (problem) {
    // The error of `toJS` has no line.
    throw createSyntaxError(fileName, 1, problem as Error);
  }
}

const getStartOffset = ({ range }: Node) => (range as Range)[0];

/** Creates the error for a mistake: `spec/ledger.yaml, line 30: there is no operation getCrd; correct the name`. */
export const createContractError = ({ name, getLine }: SpecFile, yamlPath: YamlPath, message: string) =>
  new ContractError(`${name}, line ${getLine(yamlPath)}: ${message}`);

interface LocatedNode {
  node: unknown;
  /** Number of characters before the node or, if it is the value of a key, before that key. */
  offset: number;
}

/** Returns `offset` of the YAML node at a path or, if there is none, of the last node on the path that exists. */
function findOffset(document: Document, yamlPath: YamlPath): number {
  const { contents } = document;
  let lastFound: LocatedNode = { node: contents, offset: contents ? getStartOffset(contents) : 0 };
  for (const key of yamlPath) {
    const child = findChild(document, lastFound.node, key);
    if (!child) break;
    lastFound = child;
  }
  return lastFound.offset;
}

/** Finds the child of a YAML node by key or index. If the node lacks the key but has a `$ref`, searches the referenced node. */
function findChild(document: Document, node: unknown, key: string | number): LocatedNode | undefined {
  const { isMap, isSeq } = loadYaml();
  if (isSeq(node)) {
    const element = node.items[Number(key)] as Node | undefined;
    return element && { node: element, offset: getStartOffset(element) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item) => String(item.key) === String(key));
  if (pair) return { node: pair.value, offset: getStartOffset(pair.key as Node) };
  const reference = node.get('$ref');
  if (typeof reference !== 'string') return undefined;
  // From `#/components/schemas/Card` to `['components', 'schemas', 'Card']`.
  const targetPath = reference.replace(/^#\//, '').split('/');
  return findChild(document, document.getIn(targetPath), key);
}

/** Checks a parsed file against its JSON Schema. @throws {ContractError} with the line of the first mismatch. */
export function checkFileSchema(file: SpecFile, name: SpecFileName): void {
  const errors = collectErrors(compileValidator(readFileSchema(name)), file.value);
  // A misspelt key causes two errors, an unknown key and a missing one: the unknown key is the clearer message.
  const error = errors.find(({ keyword }) => keyword === 'additionalProperties') ?? errors[0];
  if (!error) return;
  const valuePath = parsePointer(error.instancePath);
  const { additionalProperty: unknownKey } = error.params;
  const mistakePath = unknownKey === undefined ? valuePath : [...valuePath, unknownKey];
  throw createContractError(file, mistakePath, formatMessagePrefix(valuePath) + describeSchemaError(error));
}

/** Describes an error of Ajv together with the correction: `the key "level" is missing; add it`. */
function describeSchemaError({ keyword, params, parentSchema, message }: ErrorObject): string {
  if (keyword === 'additionalProperties')
    return describeUnknownKey(params.additionalProperty, parentSchema?.properties ?? {});
  if (keyword === 'required') return `the key "${params.missingProperty}" is missing; add it`;
  if (parentSchema?.title) return `must be ${parentSchema.title}; correct it`;
  return keyword === 'enum'
    ? `must be one of ${params.allowedValues.join(', ')}; correct it`
    : `${message}; correct it`;
}

export const describeUnknownKey = (name: string, properties: object) =>
  `unknown key "${name}"; correct or remove it, the known keys are ${Object.keys(properties).join(', ')}`;

/** Formats the keys of a path (no indices) as the beginning of a message: `check pointer: ` for `['3', 'check', 'pointer']`. */
const formatMessagePrefix = (valuePath: string[]) => {
  const keys = valuePath.filter((step) => !/^\d+$/.test(step));
  return keys.length > 0 ? `${keys.join(' ')}: ` : '';
};

/**
 * Copies a value of a YAML file, and replaces each `$ref` by the value that it refers to. If an object has keys beside its
 * `$ref`, they override those of the referenced value.
 * @param openReferences references being resolved, such as `#/components/schemas/Card`: a repeated one is circular
 * @throws {ContractError} if a `$ref` refers to nothing or to itself.
 */
export function resolveReferences(
  file: SpecFile,
  value: unknown,
  yamlPath: YamlPath,
  openReferences: string[] = [],
): unknown {
  const resolveChild = (child: unknown, key: string | number) =>
    resolveReferences(file, child, [...yamlPath, key], openReferences);
  if (Array.isArray(value)) return value.map(resolveChild);
  if (!isRecord(value)) return value;
  const { $ref: reference, ...otherKeys } = value;
  const resolvedKeys = Object.fromEntries(
    Object.entries(otherKeys).map(([key, child]) => [key, resolveChild(child, key)]),
  );
  if (reference === undefined) return resolvedKeys;
  const referencedValue = resolveReference(file, reference, [...yamlPath, '$ref'], openReferences);
  return { ...referencedValue, ...resolvedKeys };
}

/** Returns the value to which a `$ref` refers. For `#/components/schemas/Card`, adds `x-component: Card`. */
function resolveReference(
  file: SpecFile,
  ref: unknown,
  referencePath: YamlPath,
  openReferences: string[],
): object {
  const createReferenceError = (message: string) =>
    createContractError(file, referencePath, `${message}; correct the reference`);
  if (typeof ref !== 'string' || !ref.startsWith('#/'))
    throw createReferenceError('a reference must begin with #/');
  if (openReferences.includes(ref)) throw createReferenceError(`${ref} refers to itself`);
  const targetPath = ref.slice(2).split('/');
  const target = targetPath.reduce(getOwnValue, file.value);
  if (!isObjectOrArray(target)) throw createReferenceError(`${ref} refers to nothing`);
  const resolvedTarget = resolveReferences(file, target, targetPath, [...openReferences, ref]) as object;
  const isComponent = targetPath[0] === 'components';
  return isComponent ? { ...resolvedTarget, 'x-component': targetPath.at(-1) } : resolvedTarget;
}
