import { createRequire } from 'node:module';
import type { Document, Node } from 'yaml';
import { cached } from './cache.ts';
import { ContractError } from './contract-error.ts';

/** A key or an index on the way to a place in a document. */
export type Step = string | number;

/** A file of `spec/` that was read. */
export interface YamlFile {
  name: string;
  text: string;
  value: unknown;
  /** Lines of the entries, where the document is a list. */
  lines: number[];
  /** Line of the last of these steps that is there; a `$ref` on the way is followed. */
  lineOf(steps: Step[]): number;
}

// Loaded only when a text is new or has a mistake: loading takes as long as reading the contract.
const yaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

/** Reads the text of a YAML file of `spec/`. @throws {ContractError} with the line of the first syntax error. */
export function readYaml(name: string, text: string): YamlFile {
  const { value, lines } = cached('yaml', text, () => parse(name, text));
  let find: ((steps: Step[]) => number) | undefined;
  return {
    name,
    text,
    value,
    lines,
    lineOf: (steps) => {
      find ??= lineFinder(text);
      return find(steps);
    },
  };
}

/** The error for a mistake at a place. `says` ends in what to do. */
export const mistakeAt = (file: YamlFile, steps: Step[], says: string) =>
  new ContractError(`spec/${file.name}, line ${file.lineOf(steps)}: ${says}`);

function parse(name: string, text: string): Pick<YamlFile, 'value' | 'lines'> {
  const { isNode, isSeq, LineCounter, parseDocument } = yaml();
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { lineCounter, prettyErrors: false });
  const [error] = document.errors;
  const lineAt = (offset: number) => lineCounter.linePos(offset).line;
  if (error) throw syntaxError(name, lineAt(error.pos[0]), error.message);
  checkAliases(name, document, lineAt);
  const { contents } = document;
  const entries: unknown[] = isSeq(contents) ? contents.items : [];
  try {
    return {
      value: document.toJS({ maxAliasCount: 1000 }),
      lines: entries.map((entry) => lineAt(isNode(entry) ? startOf(entry) : 0)),
    };
  } catch (error) {
    throw syntaxError(name, 1, error instanceof Error ? error.message : 'it cannot be read');
  }
}

const syntaxError = (name: string, line: number, says: string) =>
  new ContractError(`spec/${name}, line ${line}: ${says.split('\n')[0]}; correct the YAML`);

function checkAliases(name: string, document: Document, lineAt: (offset: number) => number): void {
  yaml().visit(document, {
    Alias: (_, alias) => {
      if (!alias.resolve(document))
        throw syntaxError(name, lineAt(startOf(alias)), `the alias *${alias.source} has no anchor`);
    },
  });
}

interface Place {
  node: unknown;
  offset: number;
}

function lineFinder(text: string): (steps: Step[]) => number {
  const lines = new (yaml().LineCounter)();
  const document = yaml().parseDocument(text, { lineCounter: lines });
  const first = yaml().isNode(document.contents) ? startOf(document.contents) : 0;
  return (steps) => {
    let at: Place = { node: document.contents, offset: first };
    for (const step of steps) {
      const next = child(document, at.node, step);
      if (!next) break;
      at = next;
    }
    return lines.linePos(at.offset).line;
  };
}

/** What a node has under a key or an index, itself or where its alias or `$ref` leads. */
function child(document: Document, node: unknown, step: Step): Place | undefined {
  const { isAlias, isMap, isNode, isSeq } = yaml();
  if (isAlias(node)) return child(document, node.resolve(document), step);
  if (isSeq(node)) {
    const element = node.items[Number(step)];
    return isNode(element) ? { node: element, offset: startOf(element) } : undefined;
  }
  if (!isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => isNode(key) && String(key) === String(step));
  if (pair && isNode(pair.key)) return { node: pair.value, offset: startOf(pair.key) };
  const reference = node.get('$ref');
  return typeof reference === 'string' ? child(document, referenced(document, reference), step) : undefined;
}

const startOf = ({ range }: Node) => range?.[0] ?? 0;

const referenced = (document: Document, reference: string) =>
  document.getIn(reference.replace(/^#\//, '').split('/'), true);
