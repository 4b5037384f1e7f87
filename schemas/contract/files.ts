import { createRequire } from 'node:module';
import type { ErrorObject } from 'ajv/dist/2020.js';
import type { Document, Node, Range } from 'yaml';
import { getValueAtPath, isObjectOrArray, isRecord, type Path, parsePointer } from '../json.ts';
import { collectErrors, compileValidator, readFileSchema, type SpecFileName } from './validators.ts';

/**
 * Error for a mistake in a file of `spec/`, or in the ledger that `LEDGER_FILE` names. The message says how to correct the mistake:
 * `spec/requirements.yaml, line 30: the key "level" is missing; add it`.
 */
export class ContractError extends Error {
  override name = 'ContractError';
}

/** Parsed YAML file of the contract. The file is in `spec/`, or it is the ledger that `LEDGER_FILE` names. */
export interface SpecFile {
  /** Name in messages, such as `spec/openapi.yaml`. */
  name: string;
  /** Parsed content, with unresolved `$ref`. */
  value: unknown;
  /** Returns the line, from 1, of the key or list element at a path, or of its nearest parent in the file. */
  getLine(yamlPath: Path): number;
  /** Formats the position of the key or list element at a path, or of its nearest parent: `spec/openapi.yaml:120:9`. */
  formatLocation(yamlPath: Path): string;
}

// Loaded lazily, for a new text or a mistake: loading `yaml` takes as long as reading the contract.
const loadYaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

/**
 * Parses the text of a YAML file.
 * @param name name of the file in messages, such as `spec/openapi.yaml`
 * @throws {ContractError} if the text has a syntax error
 */
export function parseSpecFile(name: string, text: string): SpecFile {
  const { LineCounter, parseDocument } = loadYaml();
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const getPosition = (offset: number) => lineCounter.linePos(offset);
  const [syntaxError] = document.errors;
  if (syntaxError) {
    const [errorOffset] = syntaxError.pos;
    throw createSyntaxError(name, getPosition(errorOffset).line, syntaxError);
  }
  const findPosition = (yamlPath: Path) => getPosition(findOffset(document, yamlPath));
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

function convertToValue(document: Document, fileName: string): unknown {
  try {
    return document.toJS();
  } catch (error) {
    // The error of `toJS` has no line.
    throw createSyntaxError(fileName, 1, error as Error);
  }
}

const getStartOffset = ({ range }: Node) => (range as Range)[0];

/**
 * Creates the error for a mistake at a path in a file:
 * `spec/requirements.yaml, line 30: there is no operation getCrd; correct the name`.
 * @param message mistake and its correction, without file and line
 */
export const createContractError = ({ name, getLine }: SpecFile, yamlPath: Path, message: string) =>
  new ContractError(`${name}, line ${getLine(yamlPath)}: ${message}`);

interface LocatedNode {
  node: unknown;
  /** Number of characters in the text of the file before the key or list element. */
  offset: number;
}

function findOffset(document: Document, yamlPath: Path): number {
  const root = document.contents;
  // An empty file has no root.
  let lastFound: LocatedNode = { node: root, offset: root ? getStartOffset(root) : 0 };
  for (const key of yamlPath) {
    const child = findChild(document, lastFound.node, key);
    if (!child) break;
    lastFound = child;
  }
  return lastFound.offset;
}

function findChild(document: Document, node: unknown, key: string | number): LocatedNode | undefined {
  const { isMap, isSeq } = loadYaml();
  if (isSeq(node)) {
    const element = node.items[Number(key)] as Node | undefined;
    return element && { node: element, offset: getStartOffset(element) };
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find((item) => String(item.key) === String(key));
  if (pair) return { node: pair.value, offset: getStartOffset(pair.key as Node) };
  // The key may belong to the node to which a `$ref` refers.
  const reference = node.get('$ref');
  if (typeof reference !== 'string') return undefined;
  const referencedNode = document.getIn(parseReference(reference));
  return findChild(document, referencedNode, key);
}

const parseReference = (reference: string): string[] => parsePointer(reference.replace('#', ''));

/**
 * Checks a parsed file against a JSON Schema.
 * @param schemaName name of the JSON Schema. For example, `ledger` stands for `ledger.schema.json`.
 * @throws {ContractError} if the file does not conform to the schema
 */
export function checkFileSchema(file: SpecFile, schemaName: SpecFileName): void {
  const validate = compileValidator(readFileSchema(schemaName));
  const errors = collectErrors(validate, file.value);
  // A misspelt key causes two errors: an unknown key, which is the clearer message, and a missing key.
  const unknownKeyError = errors.find(({ keyword }) => keyword === 'additionalProperties');
  const error = unknownKeyError ?? errors[0];
  if (!error) return;
  const objectPath = parsePointer(error.instancePath);
  const unknownKey: string | undefined = error.params.additionalProperty;
  const mistakePath = unknownKey === undefined ? objectPath : [...objectPath, unknownKey];
  throw createContractError(file, mistakePath, formatMessagePrefix(objectPath) + describeSchemaError(error));
}

function describeSchemaError({ keyword, params, parentSchema, message }: ErrorObject): string {
  if (keyword === 'additionalProperties')
    return describeUnknownKey(params.additionalProperty, parentSchema?.properties ?? {});
  if (keyword === 'required') return `the key "${params.missingProperty}" is missing; add it`;
  if (parentSchema?.title) return `must be ${parentSchema.title}; correct it`;
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}; correct it`;
  return `${message}; correct it`;
}

const describeUnknownKey = (name: string, properties: object) =>
  `unknown key "${name}"; correct or remove it, the known keys are ${Object.keys(properties).join(', ')}`;

const formatMessagePrefix = (valuePath: string[]) => {
  const isIndex = (step: string) => /^\d+$/.test(step);
  const keys = valuePath.filter((step) => !isIndex(step));
  return keys.length > 0 ? `${keys.join(' ')}: ` : '';
};

/**
 * Copies a value of a YAML file, and replaces each `$ref` by the referenced value. Keys beside the `$ref` override keys of the
 * referenced value. A referenced component gets its name as `x-component`.
 * @param yamlPath path to `value` in the file
 * @param openReferences references that are being resolved, to detect cycles. Only recursive calls set this parameter.
 * @throws {ContractError} if a `$ref` is invalid or circular
 */
export function resolveReferences(
  file: SpecFile,
  value: unknown,
  yamlPath: Path,
  openReferences: string[] = [],
): unknown {
  const resolveChild = (child: unknown, key: string | number) =>
    resolveReferences(file, child, [...yamlPath, key], openReferences);
  if (Array.isArray(value)) return value.map(resolveChild);
  if (!isRecord(value)) return value;
  const { $ref: reference, ...otherKeys } = value;
  const resolvedEntries = Object.entries(otherKeys).map(([key, child]) => [key, resolveChild(child, key)]);
  const resolvedKeys = Object.fromEntries(resolvedEntries);
  if (reference === undefined) return resolvedKeys;
  const referencedValue = resolveReference(file, reference, [...yamlPath, '$ref'], openReferences);
  return { ...referencedValue, ...resolvedKeys };
}

function resolveReference(
  file: SpecFile,
  reference: unknown,
  referencePath: Path,
  openReferences: string[],
): object {
  const createReferenceError = (message: string) =>
    createContractError(file, referencePath, `${message}; correct the reference`);
  if (typeof reference !== 'string' || !reference.startsWith('#/'))
    throw createReferenceError('a reference must begin with #/');
  if (openReferences.includes(reference)) throw createReferenceError(`${reference} refers to itself`);
  const targetPath = parseReference(reference);
  const target = getValueAtPath(file.value, targetPath);
  if (!isObjectOrArray(target)) throw createReferenceError(`${reference} refers to nothing`);
  const referencesAroundTarget = [...openReferences, reference];
  const resolvedTarget = resolveReferences(file, target, targetPath, referencesAroundTarget) as object;
  const isComponent = targetPath[0] === 'components';
  // For example `x-component: Card` for `#/components/schemas/Card`.
  return isComponent ? { ...resolvedTarget, 'x-component': targetPath.at(-1) } : resolvedTarget;
}
