import { closest } from 'fastest-levenshtein';
import type { CreditCard, Customer, PaymentToken } from '../records.ts';

type Fields = Record<string, unknown>;

/** One way in which a customer breaks the contract, wherever it is shown. */
export interface RecordFault {
  name: string;
  /** Where it shows, below the customer. */
  path: string;
  /** Addresses of the requirements that must go red: in the list, and in the lookup where it shows there too. */
  breaks: string[];
  /** @param previous the customer that is listed before this one */
  edit(customer: Customer, previous: Customer): void;
}

/** A wrong value, or undefined for a field that is left out; and how a name says it. */
type WrongValue = [label: string, value: unknown];

const nothing: WrongValue = ['null', null];
const missing: WrongValue = ['missing', undefined];
const aNumber: WrongValue = ['a number', 12];
const optionalText = [nothing, aNumber];
const text = [...optionalText, missing];
const optionalObject: WrongValue[] = [nothing, ['a string', 'none']];

const customer: Record<Exclude<keyof Customer, 'uuid'>, WrongValue[]> = {
  name: optionalText,
  email: optionalText,
  dial_code: [...text, ['without a plus sign', '44']],
  phone: optionalText,
  reference_number: text,
  default_payment_method: optionalText,
  default_payment_token: optionalObject,
};

const token: Record<keyof PaymentToken, WrongValue[]> = {
  token_type: [...text, ['an unknown word', 'Gold']],
  token: text,
  state: text,
  default: [nothing, ['a string', 'true'], missing],
  error_code: optionalText,
  error_msg: optionalText,
  credit_card: optionalObject,
};

const creditCard: Record<keyof CreditCard, WrongValue[]> = {
  number: optionalText,
  exp_month: optionalText,
  exp_year: optionalText,
  holder_name: optionalText,
  brand: optionalText,
  billing_currency: optionalText,
};

const steps = (path: string) => path.split('/');

/** The object that holds the last step of a path; undefined when the record has no such place. */
function holderOf(record: unknown, path: string): Fields | undefined {
  let at: unknown = record;
  for (const step of steps(path).slice(0, -1)) {
    if (typeof at !== 'object' || at === null) return undefined;
    at = Object.hasOwn(at, step) ? (at as Fields)[step] : undefined;
  }
  return typeof at === 'object' && at !== null ? (at as Fields) : undefined;
}

const lastStep = (path: string) => steps(path).at(-1) ?? '';

/** Whether a record has something at a path. */
export function hasPath(record: unknown, path: string): boolean {
  const holder = holderOf(record, path);
  return holder !== undefined && Object.hasOwn(holder, lastStep(path));
}

function write(record: unknown, path: string, value: unknown): void {
  const holder = holderOf(record, path);
  if (!holder) return;
  if (value === undefined) delete holder[lastStep(path)];
  else holder[lastStep(path)] = value;
}

const faultsBelow = (place: string, fields: Record<string, WrongValue[]>): RecordFault[] =>
  Object.entries(fields).flatMap(([field, values]) =>
    values.map(([label, value]) => ({
      name: `customer: ${place}${field} is ${label}`,
      path: place + field,
      breaks: ['listCustomers/data/customers/*', 'getCustomer/data/customer'].map(
        (record) => `${record}/${place}${field}`,
      ),
      edit: (record) => write(record, place + field, value),
    })),
  );

/** Every fault that a single customer can have. */
export const recordFaults: RecordFault[] = [
  ...faultsBelow('', customer),
  ...faultsBelow('default_payment_token/', token),
  ...faultsBelow('default_payment_token/credit_card/', creditCard),
  {
    name: 'customer: uuid is that of the customer before it',
    path: 'uuid',
    breaks: ['listCustomers/rules/uuid-is-unique'],
    edit: (record, { uuid }) => write(record, 'uuid', uuid),
  },
];

/** The fault of a name, or an error that suggests one. */
export function recordFault(name: string): RecordFault {
  const found = recordFaults.find((fault) => fault.name === name);
  if (found) return found;
  const names = recordFaults.map((fault) => fault.name);
  throw new Error(`no fault of customers is called "${name}": did you mean "${closest(name, names)}"?`);
}
