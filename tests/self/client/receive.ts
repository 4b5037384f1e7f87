import { createClient } from '../../../src/client/http-client.ts';
import { readConfiguration } from '../../../src/run/target.ts';

const readPeakMb = () => Math.round(process.resourceUsage().maxRSS / 1024);

// Sends `count` requests to a URL at once, `rounds` times, and prints the last outcomes and the peak memory of this process as JSON.
const [url = '', count = '1', rounds = '1'] = process.argv.slice(2);
const { target } = readConfiguration({ ...process.env, BASE_URL: url }, '/nonexistent');
const client = await createClient(target, url);
const paths = Array.from({ length: Number(count) }, (_, index) => `/${index}`);
const sendRound = () => Promise.all(paths.map((path) => client.get(path)));
let answers = await sendRound();
for (let round = 1; round < Number(rounds); round += 1) answers = await sendRound();
await client.close();
const results = answers.map((response) => ('blocked' in response ? response.blocked : response.status));
process.stdout.write(JSON.stringify({ results, peakMb: readPeakMb() }));
