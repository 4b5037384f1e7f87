import type { Contract } from '../../schemas/contract/contract.ts';
import { textOf } from '../../schemas/json/read.ts';
import type { HttpResponse } from '../../schemas/judge/judgement.ts';
import type { HttpClient } from '../client/http-client.ts';
import { operationAt } from '../probes/shown-request.ts';
import type { Disclosure } from '../redaction/disclosure.ts';

/** Words beyond which none is quoted; and responses that are learned from for the sake of one. */
const [maxWords, maxLearned] = [100, 3];

type Client = Pick<HttpClient, 'get'>;

/**
 * A client that holds what it receives against words that a report is about to quote from other responses. All responses of a
 * sweep are too many to learn from; one that holds such a word is, so that no text of a swept record is quoted from elsewhere.
 */
export function watchQuotedWords(
  words: string[],
  client: Client,
  contract: Contract,
  disclosure: Disclosure,
): Client {
  if (words.length === 0) return client;
  if (words.length > maxWords) {
    disclosure.quoteNothing();
    return client;
  }
  const watch = new WordWatch(words);
  return {
    async get(...request) {
      const answer = await client.get(...request);
      if ('blocked' in answer) {
        if (answer.unread) disclosure.quoteNothing();
      } else if (watch.isMetIn(answer)) {
        const { pathname } = new URL(request[0], 'http://example.com');
        disclosure.learn(operationAt(contract, pathname)?.id, answer, textOf(answer.body));
      }
      return answer;
    },
  };
}

/** Finds words in responses, in any letter case. One that was met some times and is public there is looked for no more. */
class WordWatch {
  readonly #times = new Map<string, number>();
  #pattern: RegExp | undefined;

  constructor(words: string[]) {
    for (const word of words) this.#times.set(word.toLowerCase(), 0);
    this.#pattern = this.#patternOf();
  }

  isMetIn({ body }: HttpResponse): boolean {
    const text =
      this.#pattern && Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('latin1');
    const [word] = this.#pattern?.exec(text ?? '') ?? [];
    if (word === undefined) return false;
    const known = word.toLowerCase();
    const times = (this.#times.get(known) ?? 0) + 1;
    if (times < maxLearned) this.#times.set(known, times);
    else {
      this.#times.delete(known);
      this.#pattern = this.#patternOf();
    }
    return true;
  }

  #patternOf(): RegExp | undefined {
    const words = [...this.#times.keys()].map((word) => word.replace(/[^\w]/g, '\\$&'));
    return words.length > 0 ? new RegExp(words.join('|'), 'i') : undefined;
  }
}
