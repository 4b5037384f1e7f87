import { createRequire } from 'node:module';
import type { Document, Node } from 'yaml';
import { type Contract, readSpec } from '../schemas/contract.ts';
import { isObject } from '../schemas/json.ts';
import { parseItems } from '../schemas/yaml.ts';

// Loaded only where a line is needed: most runs break nothing.
const yaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

/** Where something of the contract is written. */
export interface SpecPlace {
  file: 'spec/openapi.yaml' | 'spec/requirements.yaml';
  line: number;
}

/** Finds where the requirement of an address is written; the first line of the document where it is none of this contract. */
export function createLocator(contract: Contract): (address: string) => SpecPlace {
  const lineOf = documentLines(readSpec('openapi.yaml'));
  return (address) => {
    const rule = ruleLine(address);
    if (rule) return { file: 'spec/requirements.yaml', line: rule };
    return { file: 'spec/openapi.yaml', line: lineOf(stepsTo(contract, address)) };
  };
}

function ruleLine(address: string): number | undefined {
  const [operation = '', ...rest] = address.split('/');
  const rules = parseItems('requirements.yaml', readSpec('requirements.yaml'));
  return rules.find(({ words: rule }) => {
    if (!isObject(rule) || rule.address !== rest.join('/')) return false;
    return !Array.isArray(rule.operations) || rule.operations.includes(operation);
  })?.line;
}

/** Keys and indexes that lead through the document to what a requirement is derived from. */
export function stepsTo({ operations }: Contract, address: string): string[] {
  const [id, kind = '', ...rest] = address.split('/');
  const operation = operations.find((one) => one.id === id);
  if (!operation) return [];
  const get = ['paths', operation.path, 'get'];
  const response = [...get, 'responses', String(operation.status)];
  const content = [...response, 'content', operation.mediaType];
  if (kind === 'http') return rest[0] === 'status' ? response : content;
  if (kind === 'parameters')
    return [...get, kind, String(operation.parameters.findIndex(({ name }) => name === rest[0]))];
  return [...content, 'schema', ...(kind === 'body' ? [] : [kind, ...rest].flatMap(schemaSteps))];
}

function schemaSteps(step: string): string[] {
  if (step === '*') return ['items'];
  return step === 'values-that-occur' ? [`x-${step}`] : ['properties', step];
}

/** Finds the line that some steps lead to, or the last one on the way that is there. */
function documentLines(text: string): (steps: string[]) => number {
  const lines = new (yaml().LineCounter)();
  const document = yaml().parseDocument(text, { lineCounter: lines });
  return (steps) => {
    let at: Place = { node: document.contents, offset: 0 };
    for (const step of steps) at = child(document, at.node, step) ?? at;
    return lines.linePos(at.offset).line;
  };
}

interface Place {
  node: unknown;
  offset: number;
}

/** What a node has under a key or an index, itself or where its `$ref` leads. */
function child(document: Document, node: unknown, step: string): Place | undefined {
  const { isMap, isNode, isSeq } = yaml();
  if (isSeq(node)) {
    const element = node.items[Number(step)];
    return isNode(element) ? { node: element, offset: startOf(element) } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isNode(key) && String(key) === step);
  if (pair && isNode(pair.key)) return { node: pair.value, offset: startOf(pair.key) };
  const reference = node.get('$ref');
  return typeof reference === 'string' ? child(document, target(document, reference), step) : undefined;
}

const startOf = ({ range }: Node) => range?.[0] ?? 0;

const target = (document: Document, reference: string) =>
  document.getIn(reference.replace(/^#\//, '').split('/'), true);
