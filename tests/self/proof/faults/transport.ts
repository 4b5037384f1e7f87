import { type Change, contentType, raw, status, text } from '../../harness/edits.ts';
import { type Fault, fault } from './fault.ts';

const html = '<!doctype html><title>Welcome</title><p>Please log in.</p>';
const wrongTypes = ['text/html', 'text/json', 'application/problem+json', 'application/jsonx'];
const code = (value: string) => text((json) => json.replace('"code":200', `"code":${value}`));
const extra = (value: string) => text((json) => `{"extra":${value},${json.slice(1)}`);

const named = <T>(kind: string, values: T[], change: (value: T) => Change): Record<string, Change> =>
  Object.fromEntries(values.map((value) => [`${kind} ${value}`, change(value)]));

/** What any operation can get wrong with what stands around its payload, by the rest of the address that is broken. */
const changes: Record<string, Record<string, Change>> = {
  'http/status': named('HTTP', [201, 202, 203, 206, 301, 302, 500], status),
  'http/content-type': {
    ...named('content type', wrongTypes, contentType),
    'no content type': (answer) => ({ ...answer, headers: {} }),
    'a web page as such': (answer) => ({ ...answer, headers: { 'content-type': 'text/html' }, raw: html }),
  },
  // `self/judging/json.spec.ts` has other texts that are no JSON.
  'http/json': {
    'a web page that claims to be JSON': raw(html),
    'an empty body': raw(''),
    'a truncated body': text((json) => json.slice(0, -2)),
    'bytes that are not UTF-8': raw(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  },
  'rules/unique-keys': {
    'a key twice': text((json) => json.replace('{', '{"code":200,')),
    'a key twice, with other values': code('200,"code":500'),
    'a key twice, deep inside': extra('[{"a":1,"a":1}]'),
  },
  'rules/finite-numbers': {
    'a number beyond a double': extra('1e400'),
    'a negative number beyond a double': extra('[-1e999]'),
  },
  code: named('code', ['200.5', '200.00000000000000001', '2e3', '-200', '0', '201', '"200"'], code),
};

export const transportFaults = (operation: string): Fault[] =>
  Object.entries(changes).flatMap(([rest, some]) =>
    Object.entries(some).map(([name, change]) => fault(name, `${operation}/${rest}`, change)),
  );
