import { type Change, contentType, raw, status, text } from '../../harness/edits.ts';
import { type Fault, fault } from './fault.ts';

const html = '<!doctype html><title>Welcome</title><p>Please log in.</p>';

type At = (rest: string) => string;

/** What any operation can get wrong before its body is looked at, and with what stands around its payload. */
export function transportFaults(operation: string): Fault[] {
  const at: At = (rest) => `${operation}/${rest}`;
  return [
    ...headFaults(at),
    ...unreadableBodies.map(([name, change]) => fault(name, at('http/json'), change)),
    ...repeatedKeys.map(([name, change]) => fault(name, at('rules/unique-keys'), change)),
    ...infiniteNumbers.map(([name, change]) => fault(name, at('rules/finite-numbers'), change)),
    ...wrongCodes.map((code) => fault(`code ${code}`, at('code'), text(codeOf(code)))),
  ];
}

const wrongStatuses = [201, 202, 203, 206, 301, 302, 500];
const wrongTypes = [
  'text/html',
  'text/json',
  'application/xml',
  'application/problem+json',
  'application/jsonx',
];

const headFaults = (at: At): Fault[] => [
  ...wrongStatuses.map((code) => fault(`HTTP ${code}`, at('http/status'), status(code))),
  ...wrongTypes.map((type) => fault(`content type ${type}`, at('http/content-type'), contentType(type))),
  fault('no content type', at('http/content-type'), (answer) => ({ ...answer, headers: {} })),
  fault('a web page as such', at('http/content-type'), (answer) => ({
    ...answer,
    headers: { 'content-type': 'text/html' },
    raw: html,
  })),
];

type NamedChange = [name: string, change: Change];

const unreadableBodies: NamedChange[] = [
  ['a web page that claims to be JSON', raw(html)],
  ['an empty body', raw('')],
  ['a body of blanks', raw(' \n')],
  ['a truncated body', text((json) => json.slice(0, -2))],
  ['a trailing comma', text((json) => `${json.slice(0, -1)},}`)],
  ['a comment', text((json) => `${json} // done`)],
  ['two documents', text((json) => json + json)],
  ['single quotes', text((json) => json.replaceAll('"', "'"))],
  ['NaN', text((json) => `{"extra":NaN,${json.slice(1)}`)],
  ['a leading zero', text((json) => json.replace('"code":200', '"code":0200'))],
  ['a control character in a string', text((json) => `{"extra":"a\u0001b",${json.slice(1)}`)],
  ['bytes that are not UTF-8', raw(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]))],
  ['JSON in UTF-16', (answer) => ({ ...answer, raw: Buffer.from(JSON.stringify(answer.body), 'utf16le') })],
];

const repeatedKeys: NamedChange[] = [
  ['a key twice', text((json) => json.replace('{', '{"code":200,'))],
  ['a key twice, with other values', text((json) => json.replace('"code":200', '"code":200,"code":500'))],
  ['a key twice, deep inside', text((json) => `{"extra":[{"a":1,"a":1}],${json.slice(1)}`)],
];

const infiniteNumbers: NamedChange[] = [
  ['a number beyond a double', text((json) => `{"extra":1e400,${json.slice(1)}`)],
  ['a negative number beyond a double', text((json) => `{"extra":[-1e999],${json.slice(1)}`)],
];

const wrongCodes = ['200.5', '200.00000000000000001', '2e3', '-200', '0', '201', '"200"'];

const codeOf = (code: string) => (json: string) => json.replace('"code":200', `"code":${code}`);
