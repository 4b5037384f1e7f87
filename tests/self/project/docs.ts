import { writeFileSync } from 'node:fs';
import { renderDocuments } from './documented.ts';

// `npm run dev:docs` writes the variables into docs/, .env.example, action.yml and the workflows, the list of docs/recorded-traffic.md, and the
// types of the API.
for (const [file, text] of renderDocuments()) writeFileSync(file, text);
