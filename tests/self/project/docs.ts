import { writeFileSync } from 'node:fs';
import { documented } from './documented.ts';

// `npm run dev:docs`: writes what docs/, .env.example, action.yml and the nightly workflow say of the configuration.
for (const [file, text] of documented()) writeFileSync(file, text);
