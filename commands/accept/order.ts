import { parseArgs } from 'node:util';
import { CommandError } from '../command-error.ts';

/** What shall be tolerated, why, and until when. */
export interface Order {
  /** Address of the requirement. */
  requirement: string;
  because: string;
  /** Where the deviation is tracked. */
  link: string;
  /** Last day of toleration, YYYY-MM-DD. */
  until: string | undefined;
  /** `TARGET_NAME`, where it is not that of the run. */
  target: string | undefined;
  dryRun: boolean;
}

const usage =
  'usage: npm run accept -- ADDRESS --because REASON --link URL [--until YYYY-MM-DD] [--target NAME] [--dry-run]';

const text = { type: 'string' } as const;
const options = {
  because: text,
  link: text,
  until: text,
  target: text,
  'dry-run': { type: 'boolean' },
} as const;

/** @param today YYYY-MM-DD @throws {CommandError} for what is missing or wrong. */
export function readOrder(args: string[], today: string): Order {
  const { values, positionals } = parse(args);
  const { because, link, until, target, 'dry-run': dryRun = false } = values;
  const [requirement, ...others] = positionals;
  if (!requirement || others.length > 0 || !because?.trim() || !link) throw new CommandError(usage);
  if (!/^https?:\/\/\S+$/.test(link) || !URL.canParse(link))
    throw new CommandError(
      '--link must be an address that begins with https://, where the deviation is tracked',
    );
  if (until !== undefined) checkDay(until, today);
  if (target === '') throw new CommandError('--target must name a target, as TARGET_NAME does');
  return { requirement, because: because.trim(), link, until, target, dryRun };
}

function parse(args: string[]) {
  try {
    return parseArgs({ args, allowPositionals: true, options });
  } catch {
    throw new CommandError(usage);
  }
}

function checkDay(day: string, today: string): void {
  const date = new Date(`${day}T00:00:00Z`);
  const exists = /^\d{4}-\d{2}-\d{2}$/.test(day) && !Number.isNaN(date.getTime());
  if (!exists || date.toISOString().slice(0, 10) !== day)
    throw new CommandError('--until must be a day that exists, as YYYY-MM-DD');
  if (day < today) throw new CommandError(`--until ${day} is past: name a day that is to come`);
}
