import { createHash } from 'node:crypto';
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
export function summarizePage(body: unknown, repeat: string): CustomersPage {
  const listed = valueAt(body, listPointer);
  const customers: unknown[] = Array.isArray(listed) ? listed : [];
  return {
    length: customers.length,
    identities: customers.slice(0, maxIdentities).map(identityOf),
    samples: samplesOf(customers, repeat),
  };
}

function samplesOf(customers: unknown[], repeat: string): Sample[] {
  const samples = new Map<string, Sample>();
  let index = -1;
  for (const customer of customers) {
    index += 1;
    if (samples.size === maxShapes || (samples.size === 0 && index === maxWithout)) break;
    const uuid = ownValue(customer, keyName);
    if (typeof uuid !== 'string' || !fitsPath(uuid)) continue;
    const shape = shortKey(outline(customer, typeOf));
    if (samples.has(shape)) continue;
    samples.set(shape, {
      shape,
      uuid,
      shell: foundInShell(repeat, `${listPointer}/${index}/${keyName}`),
    });
  }
  return [...samples.values()];
}

function identityOf(customer: unknown): string {
  const uuid = ownValue(customer, keyName);
  return shortKey(typeof uuid === 'string' ? uuid : outline(customer, textOf));
}

/** Objects of a record, and in them, that the contract documents. Of another one that is read in pieces not all is kept. */
const parts: Record<string, string> = { default_payment_token: 'credit_card' };

/** The fields of a record and of its documented parts, with something said of each value. */
function outline(
  value: unknown,
  say: (value: unknown, name: string) => string,
  name = '',
  documented = Object.keys(parts),
): string {
  if (!isRecord(value)) return say(value, name);
  const partOf = (field: string) =>
    documented.includes(field)
      ? outline(value[field], say, field, [ownValue(parts, field)].filter(isText))
      : say(value[field], field);
  const fields = Object.keys(value).sort();
  return `{${fields.map((field) => `${field}:${partOf(field)}`).join()}}`;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** A value's type; tokens of each type are records of another shape. */
const typeOf = (value: unknown, name: string) =>
  name === 'token_type' && typeof value === 'string' ? value : kindOf(value);

const textOf = (value: unknown) => (isObjectOrArray(value) ? kindOf(value) : JSON.stringify(value));

const kindOf = (value: unknown) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);

/** A key of bounded length; nothing that holds on to a long text. */
const shortKey = (text: string) =>
  text.length <= maxKeyLength ? text : createHash('sha256').update(text).digest('base64');
