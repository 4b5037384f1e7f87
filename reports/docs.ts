import { readFileSync, writeFileSync } from 'node:fs';
import { envExample, readmeWith } from './configuration-docs.ts';

// Writes what README and .env.example say of the configuration anew.
writeFileSync('README.md', readmeWith(readFileSync('README.md', 'utf8')));
writeFileSync('.env.example', envExample());
