import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { actionWith, configurationWith, envExample, workflowWith } from './docs/configuration-docs.ts';
import { numbersWith } from './docs/documented-numbers.ts';

/** Writes a file anew. */
const update = (file: string, change: (text: string) => string) =>
  writeFileSync(file, change(readFileSync(file, 'utf8')));

// What docs/, .env.example, action.yml and the nightly workflow say of the configuration.
update('docs/configuration.md', configurationWith);
update('action.yml', actionWith);
update('.github/workflows/conformance.yml', workflowWith);
writeFileSync('.env.example', envExample());

for (const name of readdirSync('docs').filter((file) => file.endsWith('.md')))
  update(`docs/${name}`, numbersWith);
