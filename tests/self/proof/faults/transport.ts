import { type Change, editJson, sendRaw, setContentType, setStatus } from '../../harness/edits.ts';
import { createFault, type Fault } from './fault.ts';

const html = '<!doctype html><title>Welcome</title><p>Please log in.</p>';
const wrongTypes = ['text/html', 'text/json', 'application/problem+json', 'application/jsonx'];
const setCode = (value: string) => editJson((json) => json.replace('"code":200', `"code":${value}`));
const addExtraField = (value: string) => editJson((json) => `{"extra":${value},${json.slice(1)}`);

const createChanges = <T>(kind: string, values: T[], change: (value: T) => Change): Record<string, Change> =>
  Object.fromEntries(values.map((value) => [`${kind} ${value}`, change(value)]));

/** Faulty response changes, keyed by violated requirement (`http/status`), then by name. */
const changesByAddressEnd: Record<string, Record<string, Change>> = {
  'http/status': createChanges('HTTP', [201, 202, 203, 206, 301, 302, 404, 500], setStatus),
  'http/content-type': {
    ...createChanges('content type', wrongTypes, setContentType),
    'no content type': (response) => ({ ...response, headers: {} }),
    'a web page as such': (response) => ({
      ...response,
      headers: { 'content-type': 'text/html' },
      raw: html,
    }),
  },
  // `self/judging/json.spec.ts` has more texts that are not JSON.
  'http/json': {
    'a web page that claims to be JSON': sendRaw(html),
    'an empty body': sendRaw(''),
    'a truncated body': editJson((json) => json.slice(0, -2)),
    'bytes that are not UTF-8': sendRaw(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d])),
  },
  'rules/unique-keys': {
    'a key twice': editJson((json) => json.replace('{', '{"code":200,')),
    'a key twice, with other values': setCode('200,"code":500'),
    'a key twice, deep inside': addExtraField('[{"a":1,"a":1}]'),
  },
  'rules/finite-numbers': {
    'a number beyond a double': addExtraField('1e400'),
    'a negative number beyond a double': addExtraField('[-1e999]'),
  },
  code: createChanges(
    'code',
    ['200.5', '200.00000000000000001', '200.00000000000000001e0', '2e3', '-200', '0', '201', '"200"'],
    setCode,
  ),
};

export function createTransportFaults(operation: string): Fault[] {
  const faults: Fault[] = [];
  for (const [addressEnd, changesByName] of Object.entries(changesByAddressEnd))
    for (const [name, change] of Object.entries(changesByName))
      faults.push(createFault(name, `${operation}/${addressEnd}`, change));
  return faults;
}
