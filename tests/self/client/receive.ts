import { createClient } from '../../../src/client/http-client.ts';
import { readConfiguration } from '../../../src/run/target.ts';

/** Reads the largest resident set size of this process, in MiB. */
const readPeakMb = () => Math.round(process.resourceUsage().maxRSS / 1024);

// Sends some requests at once, and prints their outcomes and the peak of memory.
const [url = '', count = '1'] = process.argv.slice(2);
const { target } = readConfiguration({ ...process.env, BASE_URL: url }, '/nonexistent');
const client = await createClient(target, url);
const paths = Array.from({ length: Number(count) }, (_, index) => `/${index}`);
const answers = await Promise.all(paths.map((path) => client.get(path)));
await client.close();
const results = answers.map((answer) => ('blocked' in answer ? answer.blocked : answer.status));
process.stdout.write(JSON.stringify({ results, peakMb: readPeakMb() }));
