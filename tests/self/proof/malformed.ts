import type { Schema } from '../../../schemas/contract/contract.ts';
import { validatorOf } from '../../../schemas/contract/validators.ts';

/** Strings that a title of the contract does not allow, each wrong in another way. */
const wrong: Record<string, string[]> = {
  'an identifier in UUID form, of hexadecimal digits': [
    '',
    '7c0f3a525d0e4a439d5b0a6f2f1f9c11',
    '{7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c11}',
    'urn:uuid:7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c11',
    '7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c1',
    '7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c1g',
    '7c0f3a52-5d0e-4a43-9d5b-0a6f2f1f9c11\n',
    'card-1',
  ],
  'a decimal number written as a string': [
    '',
    '1,000.00',
    '1.000,00',
    '10,5',
    '1.2.3',
    ' 1.00',
    '1.00 ',
    '1.00\n',
    '1e3',
    '0x1F',
    '+1.00',
    '.5',
    '5.',
    '--1',
    '$5.00',
    '5.00 USD',
    '1 000',
    'ten',
    'NaN',
    'Infinity',
    'null',
    '٣.١٤',
  ],
  'six digits, as a string': ['', '12345', '1234567', '12345a', ' 12345', '1234 6', '４00000', '400000\n'],
  'four digits, as a string': ['', '123', '12345', '12a4', '1 34', '-123', '****', '0002\n'],
  'an ISO 8601 UTC timestamp with fractional seconds, of a time that exists': [
    '',
    '2024-02-29',
    '2024-02-29T08:15:30Z',
    '2024-02-29T08:15:30.Z',
    '2024-02-29T08:15:30.250',
    '2024-02-29T08:15:30.250+08:00',
    '2024-02-29 08:15:30.250Z',
    '2023-02-29T08:15:30.250Z',
    '2024-04-31T08:15:30.250Z',
    '2024-13-01T08:15:30.250Z',
    '2024-00-10T08:15:30.250Z',
    '2024-01-00T08:15:30.250Z',
    '2024-02-29T24:15:30.250Z',
    '2024-02-29T08:60:30.250Z',
    '2024-02-29T08:15:61.250Z',
    '1709194530.250',
    'Thu, 29 Feb 2024 08:15:30 GMT',
    '24-02-29T08:15:30.250Z',
    '2024-02-29T08:15:30.250Z\n',
  ],
  'a month from 01 to 12 and a year, as MM/YY': [
    '',
    '13/28',
    '00/28',
    '1/28',
    '01/2028',
    '0128',
    '01-28',
    '28/13',
    '01/2',
    'Jan/28',
    ' 01/28',
    '01/28\n',
  ],
  'a country code with a leading plus sign': [
    '',
    '44',
    '0044',
    '+',
    '++44',
    '+ 44',
    ' +44',
    '44+',
    '+uk',
    '+44\n',
  ],
};

/** Mutations that break pattern, format or const of a schema. @param example a value that conforms, if there is one */
export function malformed(schema: Schema, example: unknown) {
  if (schema.const !== undefined) return [{ name: 'another value', value: 500 }];
  if (!schema.pattern && !schema.format) return [];
  const known = wrong[schema.title ?? ''] ?? derivedFrom(schema, example);
  return known.map((value) => ({ name: JSON.stringify(value), value }));
}

/** What a schema rejects of a conforming value that was changed a little. @throws when that is nothing */
function derivedFrom(schema: Schema, example: unknown): string[] {
  const conforms = validatorOf(schema, 'malformed');
  const changed = typeof example === 'string' ? mutationsOf(example) : [];
  const values = [...new Set(changed)].filter((value) => !conforms(value));
  const { title, pattern, format } = schema;
  if (values.length === 0) {
    const kind = title ?? pattern ?? format;
    throw new Error(`no wrong value is known for "${kind}": give a field of that kind a value in an example`);
  }
  return values;
}

/** A value cut, padded, doubled, or with other characters. */
const mutationsOf = (text: string): string[] => [
  ...['', ` ${text}`, `${text} `, `${text}\n`, text.slice(1), text.slice(0, -1), text + text, `x${text}`],
  ...['x', '٣', '/'].map((character) => text.replace(/[0-9]/, character)),
  ...[...text.matchAll(/[0-9]{2}/g)].map(({ index }) => `${text.slice(0, index)}99${text.slice(index + 2)}`),
  text.replaceAll(/[^0-9A-Za-z]/g, ''),
];
