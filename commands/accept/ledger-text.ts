import { type Document, isCollection, isMap, isSeq, parseDocument } from 'yaml';
import type { Accepts } from './deviation.ts';
import type { Order } from './order.ts';

/**
 * The text of `ledger.yaml` with an entry for each form behind the others. Comments and order stay as they are.
 * @param text as it was read, without mistakes
 */
export function withEntries(text: string, forms: Accepts[], order: Order, target: string): string {
  const document: Document = parseDocument(text);
  if (!isSeq(document.contents)) document.contents = document.createNode([]);
  // An empty list may have been written as [].
  if (isSeq(document.contents)) document.contents.flow = false;
  for (const accepts of forms) document.add(nodeOf(document, entryOf(accepts, order, target)));
  return document.toString({ lineWidth: 0 });
}

/** An entry as those before it are written: behind a blank line, what it accepts on one line. */
function nodeOf(document: Document, entry: object) {
  const node = document.createNode(entry);
  const form: unknown = isMap(node) ? node.get('accepts', true) : undefined;
  node.spaceBefore = true;
  if (isCollection(form)) form.flow = true;
  return node;
}

const entryOf = (accepts: Accepts, { requirement, because, link, until }: Order, target: string) => ({
  requirement,
  accepts,
  because,
  link,
  target,
  ...(until === undefined ? {} : { until }),
});
