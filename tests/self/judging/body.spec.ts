import { gzipSync } from 'node:zlib';
import { expect, test } from '@playwright/test';
import { readJson } from '../../../schemas/json.ts';
import { describeUnreadable } from '../../../schemas/judge/describe-body.ts';

const json = '{"code":200,"data":{"card":{"title":"Tea"}}}';

const bodies: [name: string, body: string | Buffer, description: string][] = [
  ['a web page', '<!DOCTYPE html>\n<title>Oops</title>', 'a web page (HTML)'],
  ['a web page after a comment', '<!-- cached -->\n<html lang="en">', 'a web page (HTML)'],
  ['XML', '<?xml version="1.0"?><error/>', 'XML, or a part of a web page'],
  ['plain text', 'Service Unavailable', 'text that is not JSON at byte 1'],
  ['nothing but blanks', ' \n', 'an empty body'],
  [
    'JSON cut within a string',
    json.slice(0, 39),
    'JSON that ends at byte 39, before its objects and lists do',
  ],
  ['JSON cut within an escape', '{"a":"\\', 'JSON that ends at byte 7, before its objects and lists do'],
  ['JSON cut within a word', '{"a":tr', 'JSON that ends at byte 7, before its objects and lists do'],
  ['JSON cut after a value', json.slice(0, -2), 'JSON that ends at byte 42, before its objects and lists do'],
  ['JSON cut after a comma', '[{"é":1},', 'JSON that ends at byte 10, before its objects and lists do'],
  ['two JSON texts', `${json}\n${json}`, 'JSON with more text after it, at byte 46'],
  ['a text before JSON', `"warning" ${json}`, 'JSON with more text after it, at byte 11'],
  ['a warning after JSON', `${json}<br />`, 'JSON with more text after it, at byte 45'],
  ['a warning before JSON', `Warning: ${json}`, 'text that is not JSON at byte 1'],
  ['single quotes', "{'code': 200}", 'text that is not JSON at byte 2'],
  ['a curly quote of two bytes or more', '{“a”: 1}', 'text that is not JSON at byte 2'],
  ['NaN', '\ufeff{"a":NaN}', 'text that is not JSON at byte 9'],
  ['a line break in a string', '{"a":"b\nc"}', 'text that is not JSON at byte 8'],
  ['an unknown escape in the last string', '["a\\q"', 'text that is not JSON at byte 5'],
  ['a control character in the last string', '["a\u0001"', 'text that is not JSON at byte 4'],
  ['JSON cut within a number', '[1e', 'JSON that ends at byte 3, before its objects and lists do'],
  ['a comma too many', '[1,]', 'text that resembles JSON, with a misplaced bracket, comma or colon'],
  ['a comment', '/* b */ 1', 'text that is not JSON at byte 1'],
  ['Latin-1', Buffer.from('{"é":1}', 'latin1'), 'a body that is not UTF-8 at byte 3'],
  ['a character cut in two', Buffer.from([0x22, 0xe2, 0x82]), 'a body that is not UTF-8 at byte 2'],
  [
    'a cut U+FFFD after a whole one',
    Buffer.from([0x22, 0xef, 0xbf, 0xbd, 0xef, 0xbf]),
    'a body that is not UTF-8 at byte 5',
  ],
  ['UTF-16 with its mark', Buffer.from(`\ufeff${json}`, 'utf16le'), 'a body in UTF-16, not UTF-8'],
  ['UTF-16 without it', Buffer.from(json, 'utf16le'), 'a body in UTF-16, not UTF-8'],
  ['gzip in gzip', gzipSync(json), 'compressed data (gzip)'],
];

for (const [name, body, description] of bodies)
  test(`the failure text describes ${name} by its form`, () => {
    const bytes = Buffer.from(body as string);
    const document = readJson(bytes);
    if (!('problem' in document)) throw new Error('the body is JSON');
    expect(describeUnreadable({ body: bytes, headers: {} }, document)).toBe(description);
  });

test('each description of JSON that is cut short names no part of its text', () => {
  for (let length = 1; length < json.length; length += 1) {
    const body = Buffer.from(json.slice(0, length));
    const description = describeUnreadable({ body, headers: {} }, { problem: 'not JSON' });
    expect(description).toMatch(/^JSON that ends at byte \d+/);
    expect(description).not.toMatch(/code|data|card|title|Tea/);
  }
});

test('an empty body is told from compressed data that ends before its content', () => {
  for (const [coding, description] of [
    ['gzip', 'nothing, after decompression'],
    ['identity', 'an empty body'],
  ] as const) {
    const headers = { 'content-encoding': coding };
    expect(describeUnreadable({ body: Buffer.from(''), headers }, { problem: 'empty' })).toBe(description);
  }
});
