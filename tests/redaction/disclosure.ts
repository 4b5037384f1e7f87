import type { Contract, Operation } from '../../schemas/contract/contract.ts';
import type { HttpResponse } from '../../schemas/judge/judgement.ts';
import { namesModule } from '../client/signing.ts';
import type { Target } from '../configuration/target.ts';
import { eachHiddenText } from './body-text.ts';
import { readsLikeWord } from './describe-value.ts';
import { render } from './drafts.ts';
import { type Received, settledReceived } from './received.ts';
import { Secrets, secretsOf } from './secrets.ts';
import { contractWords, publicWords } from './vocabulary.ts';
import { WordFilter } from './word-filter.ts';

/**
 * Decides which words of a target may be shown: those of the contract and of HTTP; of others, such as read like words
 * of a vocabulary, and have no piece of a secret in them, nor of a field of any answer that is not public.
 */
export class Disclosure {
  readonly #secrets: Secrets;
  readonly #hidden = new WordFilter({ alone: 5, inside: 6 });
  readonly #operations: Operation[];
  #quotes = true;
  readonly #isPublicWord: (word: string) => boolean;
  readonly #contractWords: string[];

  constructor(target: Target, contract: Pick<Contract, 'operations'>) {
    this.#secrets = new Secrets(secretsOf(target));
    this.#operations = contract.operations;
    this.#isPublicWord = publicWords(contract);
    this.#contractWords = contractWords(contract);
  }

  /** Takes note of a secret that turned up in the course of the run. */
  readonly addSecret = (value: string): void => this.#secrets.add(value);

  /** Takes note of all that an answer holds and that is not public. @returns how many values its body may have */
  learn(operationId: string | undefined, answer: HttpResponse, body: string): number {
    const schema = this.#operations.find(({ id }) => id === operationId)?.schema;
    for (const [name, value] of Object.entries(answer.headers ?? {}))
      if (name !== 'content-type') this.hide(value);
    return eachHiddenText(body, schema, this.hide);
  }

  /** Takes note of a text that must not be shown. */
  readonly hide = (text: string): void => this.#hidden.add(text);

  /** From now on no word is quoted that is not public: not every answer is looked through. */
  readonly quoteNothing = (): void => {
    this.#quotes = false;
  };

  /** Whether a word may be shown, or all words of a name that is made of some, as a media type is. */
  readonly shows = (name: string): boolean => {
    const words = name.split(/[/.+]/);
    return (
      words.every(this.#isPublicWord) || (this.#quotes && this.#isFree(name) && words.every(this.#showsWord))
    );
  };

  readonly #showsWord = (word: string): boolean =>
    this.#isPublicWord(word) || (this.#reads(word) && this.#isFree(word));

  /** Numbers are quoted only where they are public and short. */
  readonly #reads = (word: string) => readsLikeWord(word) || /^-?\d{1,6}(\.\d{1,6})?$/.test(word);

  /** Neither secret nor personal. What has three digits, as a status has, occurs among amounts by chance. */
  readonly #isFree = (word: string) =>
    /^-?\d{1,3}$/.test(word) || !(this.#secrets.touches(word) || this.#hidden.has(word));

  /** A draft as it may be written, once everything was asked. */
  readonly render = (draft: string): string => render(draft, this.shows);

  /** A text that may name files or what a module is called. */
  readonly mask = (text: string): string => this.#secrets.mask(text);

  /** Why there is no response: nothing in the sentences of this suite is secret but what they say of a module. */
  readonly maskReason = (reason: string): string => (namesModule(reason) ? this.mask(reason) : reason);

  /** Whether names that have a word of the contract in them are not shown, since a secret has it as well. */
  readonly hidesContractWords = (): boolean =>
    this.#contractWords.some((word) => this.#secrets.touches(word));

  /** Something that was found, as it may be written. Only text of the target is changed. */
  readonly settleFinding = <T extends Found>(finding: T): T => settledFinding(finding, this.shows);

  /** All that was found in an exchange, as it may be written. */
  readonly settle = <T extends Settleable>(observation: T): T => this.#settled(observation, this.shows);

  /** The same of a response that was not learned from: words of the contract and of HTTP alone are shown. */
  readonly settleUnlearned = <T extends Settleable>(observation: T): T =>
    this.#settled(observation, (name) => name.split(/[/.+]/).every(this.#isPublicWord));

  /** The words beside public ones that would be shown of what was found so far. */
  readonly quotedIn = (observations: Settleable[]): string[] => {
    const quoted = new Set<string>();
    const note = (name: string) => {
      if (this.shows(name)) quoted.add(name);
      return false;
    };
    for (const observation of observations) this.#settled(observation, note);
    return [...quoted].filter((name) => !name.split(/[/.+]/).every(this.#isPublicWord));
  };

  #settled<T extends Settleable>(observation: T, shows: Shows): T {
    const { contentType, blocked } = observation;
    return {
      ...observation,
      findings: observation.findings.map((finding) => settledFinding(finding, shows)),
      ...(contentType === undefined ? {} : { contentType: render(contentType, shows) }),
      ...(blocked === undefined ? {} : { blocked: this.maskReason(blocked) }),
    };
  }
}

/** Whether a word of a target may be shown. */
type Shows = (name: string) => boolean;

function settledFinding<T extends Found>(finding: T, shows: Shows): T {
  const { pointer, actual, received } = finding;
  const settled = { ...finding, pointer: render(pointer, shows), actual: render(actual, shows) };
  const shown = received && settledReceived(received, shows);
  if (shown) settled.received = shown;
  else delete settled.received;
  return settled;
}

interface Found {
  pointer: string;
  actual: string;
  received?: Received;
}

interface Settleable {
  blocked?: string;
  contentType?: string;
  findings: Found[];
}
