import { text } from '../edits.ts';
import { everywhere, type Variant } from './variant.ts';

/** Another way to write the same JSON. */
const written = (name: string, edit: (json: string) => string): Variant => ({
  name: `JSON ${name}`,
  aspect: 'writing',
  alter: everywhere(text(edit)),
});

const strings = /"(?:[^"\\]|\\.)*"/g;
const tokens = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const indented = (indent: string) => (json: string) => JSON.stringify(JSON.parse(json), null, indent);

/** A string of JSON in which every letter is escaped; hexadecimal digits are read in either case. */
const escaped = (letters: string, capitals = false) => {
  const units = Array.from({ length: letters.length }, (_, at) => letters.charCodeAt(at));
  const digits = units.map((unit) => unit.toString(16).padStart(4, '0'));
  return digits.map((four) => `\\u${capitals ? four.toUpperCase() : four}`).join('');
};

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).reverse();
  return Object.fromEntries(fields.map(([key, child]) => [key, reversed(child)]));
}

const codes = [
  '200.0',
  '2e2',
  '20.0E+1',
  '2000e-1',
  '0.02e4',
  '200E-0',
  `200.${'0'.repeat(400)}`,
  '2.00e+0002',
];

/** The same answers, written otherwise (RFC 8259). */
export const writing: Variant[] = [
  written('with its keys in reverse', (json) => JSON.stringify(reversed(JSON.parse(json)))),
  written('indented', indented('\t')),
  written('with Windows line ends', (json) => indented('  ')(json).replaceAll('\n', '\r\n')),
  written('with blanks around everything', (json) => ` \n${json.replace(tokens, '\t\r\n $& \n')}\n\n`),
  ...[false, true].map((capitals) =>
    written(`with every letter escaped${capitals ? ', in capitals' : ''}`, (json) =>
      json.replace(strings, (string) => `"${escaped(JSON.parse(string), capitals)}"`),
    ),
  ),
  written('with escaped slashes', (json) => json.replaceAll('/', '\\/')),
  written('in ASCII only', (json) => json.replace(/[^ -~]/g, (letter) => escaped(letter))),
  written('behind a byte order mark', (json) => `\ufeff${json}`),
  ...codes.map((code) =>
    written(`with code ${code.slice(0, 12)}`, (json) => json.replace('"code":200', `"code":${code}`)),
  ),
];
