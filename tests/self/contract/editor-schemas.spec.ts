import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { getSpecPath, specFiles } from '../../../schemas/contract/contract.ts';
import { createPlainAjv } from '../../../schemas/contract/validators.ts';

for (const name of specFiles)
  test(`spec/${name} names the JSON Schema of its shape in its first line, and is valid by it`, () => {
    const file = getSpecPath(name);
    const text = readFileSync(file, 'utf8');
    const [, reference = ''] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
    const schema = JSON.parse(readFileSync(path.resolve(path.dirname(file), reference), 'utf8'));
    const ajv = createPlainAjv({ allErrors: true });
    expect(ajv.validate(schema, parse(text)), ajv.errorsText()).toBe(true);
  });
