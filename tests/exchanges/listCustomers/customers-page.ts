import { createHash } from 'node:crypto';
import type { Operation, Schema } from '../../../schemas/contract/contract.ts';
import { fieldOf, nodesOf } from '../../../schemas/contract/nodes.ts';
import { isObjectOrArray, isRecord, valueAt } from '../../../schemas/json/read.ts';
import { ownValue } from '../../../schemas/own-value.ts';
import { foundInShell } from '../../client/curl.ts';
import { fitsPath } from '../request.ts';

/** A customer whose record has a shape of its own. */
export interface Sample {
  shape: string;
  uuid: string;
  /** How a shell finds the uuid again, encoded. */
  shell: string;
}

/** What is kept of a page of customers: bounded, however long the page and its values are. */
export interface CustomersPage {
  length: number;
  /** Identities of the first customers. */
  identities: string[];
  /** The first customer of each shape. */
  samples: Sample[];
}

/** JSON Pointer of the list, and the field that identifies a customer. */
export const [listPointer, keyName] = ['/data/customers', 'uuid'];

/** Shapes of which a sample is kept. */
export const maxShapes = 40;
/** Of a list that begins with so many customers without a uuid, no sample is taken. */
const maxWithout = 100_000;
const maxIdentities = 100;
const maxKeyLength = 1000;

/** Summarizes the body of an answer to `listCustomers`; of no body, or another one, an empty page. */
export function summarizePage(body: unknown, repeat: string, operation: Operation): CustomersPage {
  const schema = nodesOf(operation).find(({ pointer }) => pointer === `${listPointer}/*`)?.schema;
  const listed = valueAt(body, listPointer);
  const customers: unknown[] = Array.isArray(listed) ? listed : [];
  return {
    length: customers.length,
    identities: customers.slice(0, maxIdentities).map((customer) => identityOf(customer, schema)),
    samples: samplesOf(customers, repeat, schema),
  };
}

function samplesOf(customers: unknown[], repeat: string, schema: Schema | undefined): Sample[] {
  const samples = new Map<string, Sample>();
  let index = -1;
  for (const customer of customers) {
    index += 1;
    if (samples.size === maxShapes || (samples.size === 0 && index === maxWithout)) break;
    const uuid = ownValue(customer, keyName);
    if (typeof uuid !== 'string' || !fitsPath(uuid)) continue;
    const shape = shortKey(outline(customer, schema, typeOf));
    if (samples.has(shape)) continue;
    samples.set(shape, {
      shape,
      uuid,
      shell: foundInShell(repeat, `${listPointer}/${index}/${keyName}`),
    });
  }
  return [...samples.values()];
}

function identityOf(customer: unknown, schema: Schema | undefined): string {
  const uuid = ownValue(customer, keyName);
  return shortKey(typeof uuid === 'string' ? uuid : outline(customer, schema, textOf));
}

/**
 * The fields of a record, and of the objects in it that the contract documents, with something said of each value. Of any other
 * object no field is named: a body that is read in pieces lacks some of them.
 */
function outline(
  value: unknown,
  schema: Schema | undefined,
  say: (value: unknown, name: string) => string,
  name = '',
): string {
  if (!isRecord(value)) return say(value, name);
  const partOf = (field: string) => {
    const documented = fieldOf(schema, field);
    return documented?.properties ? outline(value[field], documented, say, field) : say(value[field], field);
  };
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${field}:${partOf(field)}`).join()}}`;
}

/** A value's type; tokens of each type are records of another shape. */
const typeOf = (value: unknown, name: string) =>
  name === 'token_type' && typeof value === 'string' ? value : kindOf(value);

const textOf = (value: unknown) => (isObjectOrArray(value) ? kindOf(value) : JSON.stringify(value));

const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** A key of bounded length; nothing that holds on to a long text. */
const shortKey = (text: string) =>
  text.length <= maxKeyLength ? text : createHash('sha256').update(text).digest('base64');
