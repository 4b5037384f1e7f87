import { createRequire } from 'node:module';
import { cached } from './cache.ts';
import { ContractError } from './contract-error.ts';

/** An entry of a list, and the line it stands in. */
export interface Item {
  words: unknown;
  line: number;
}

// Taken only when a text is met for the first time: loading it costs each process as much as reading the contract.
const yaml = () => createRequire(import.meta.url)('yaml') as typeof import('yaml');

/** Reads a YAML file of `spec/`. @throws {ContractError} naming file, line and column of the first mistake. */
export const parseYaml = (file: string, text: string): unknown =>
  cached('yaml', text, () => found(file, () => documentOf(text).toJS()));

/** Reads a list, with lines; nothing at all is an empty one. @throws {ContractError} */
export const parseItems = (file: string, text: string): Item[] =>
  cached('items', text, () => found(file, () => itemsOf(file, text)));

function itemsOf(file: string, text: string): Item[] {
  const { isNode, isSeq, LineCounter } = yaml();
  const lines = new LineCounter();
  const document = documentOf(text, lines);
  if (document.contents === null) return [];
  if (!isSeq(document.contents)) throw new ContractError(`spec/${file}: needs a list of entries`);
  return document.contents.items.map((item) => ({
    words: isNode(item) ? item.toJS(document) : item,
    line: lines.linePos((isNode(item) && item.range?.[0]) || 0).line,
  }));
}

function documentOf(text: string, lineCounter = new (yaml().LineCounter)()) {
  const document = yaml().parseDocument(text, { lineCounter });
  const [mistake] = document.errors;
  if (mistake) throw mistake;
  return document;
}

/** What the reading gives, or a mistake without the picture of it that follows. */
function found<T>(file: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof ContractError) throw error;
    const [headline = ''] = (error as Error).message.split('\n');
    throw new ContractError(`spec/${file}: ${headline.replace(/:$/, '')}`);
  }
}
