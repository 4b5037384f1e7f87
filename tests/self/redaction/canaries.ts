import { createRandom } from '../../../src/sweep/paging.ts';
import type { ReportFile } from '../harness/whole-run.ts';
import { seed } from '../soak.ts';

/** Number of leading characters by which encoded canaries (invented secrets) are indexed. */
const formStartLength = 8;

const repeat = (count: number, create: () => string): string =>
  Array.from({ length: count }, create).join('');
let createdCount = 0;

/** Invented secrets that no report may contain, each with a label such as `API key`. */
export class Canaries {
  readonly #labelByCanary = new Map<string, string>();
  /** Encoded forms of the canaries, such as Base64, keyed by their first characters. */
  readonly #formsByStart = new Map<string, { label: string; form: string }[]>();
  readonly #random: () => number;

  constructor() {
    this.#random = createRandom(1_000 * seed + createdCount);
    createdCount += 1;
  }

  /** Returns the canary with this label; creates one such as `k3f8b0m1x7c2q9d4` if needed. */
  getCode(label: string): string {
    const createPair = () => this.#letter() + this.drawBelow(10);
    return this.#getOrCreate(label, () => repeat(8, createPair));
  }

  /** Returns the canary with this label; creates one such as `lumobatek-sorivanex` if needed. */
  getWords(label: string): string {
    const createWord = () => repeat(9, () => this.#letter());
    return this.#getOrCreate(label, () => `${createWord()}-${createWord()}`);
  }

  /** Draws a random integer from 0 to `limit - 1`. */
  drawBelow(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #letter(): string {
    return String.fromCharCode(97 + this.drawBelow(26));
  }

  #getOrCreate(label: string, create: () => string): string {
    for (const [canary, existingLabel] of this.#labelByCanary) if (existingLabel === label) return canary;
    return this.add(label, create());
  }

  /** Returns a text with the canary of this label and characters to escape, such as `<`. */
  getTextToEncode(label: string): string {
    return `${this.getCode(label)} "é&<${this.getCode(label)}>/%`;
  }

  /**
   * Adds a text such as a UUID as a canary and returns it.
   * @throws an `Error` if a form to search for, such as the text or an encoding of it, has fewer than 8 characters
   */
  add(label: string, canary: string): string {
    for (const form of listForms(canary)) {
      if (form.length < formStartLength) throw new Error(`the canary of ${label} is too short to be found`);
      const start = form.slice(0, formStartLength);
      const formsWithStart = this.#formsByStart.get(start) ?? [];
      this.#formsByStart.set(start, [...formsWithStart, { label, form }]);
    }
    this.#labelByCanary.set(canary, label);
    return canary;
  }

  listLabels(): string[] {
    return sortUnique(this.#labelByCanary.values());
  }

  /** Returns the labels of the canaries in a text, whether encoded or not. */
  findLabels(text: string): string[] {
    const lowerCaseText = text.toLowerCase();
    const labels = new Set<string>();
    for (let index = 0; index <= lowerCaseText.length - formStartLength; index += 1) {
      const start = lowerCaseText.slice(index, index + formStartLength);
      const formsWithStart = this.#formsByStart.get(start) ?? [];
      const foundForms = formsWithStart.filter(({ form }) => lowerCaseText.startsWith(form, index));
      for (const { label } of foundForms) labels.add(label);
    }
    return sortUnique(labels);
  }

  /** Lists the canaries that occur in files: `API key in junit.xml`. */
  findLeaks(files: ReportFile[]): string[] {
    return files.flatMap(({ name, text }) => this.findLabels(text).map((label) => `${label} in ${name}`));
  }
}

const sortUnique = (labels: Iterable<string>) => [...new Set(labels)].sort();

function listForms(canary: string): string[] {
  const words = /^[a-z]+-[a-z]+$/.test(canary) ? canary.split('-') : [];
  const firstPart = canary.slice(0, 11);
  const lastPart = canary.slice(-11);
  const hex = Buffer.from(canary).toString('hex');
  const characterCodes = [...canary].map((character) => character.charCodeAt(0).toString(16));
  const urlEncoded = characterCodes.map((code) => `%${code}`).join('');
  const jsonEscaped = characterCodes.map((code) => `\\u00${code}`).join('');
  // A text of several values has a canary at any offset, and Base64 encodes groups of three bytes.
  const base64Parts = [0, 1, 2].map((precedingBytes) => encodeBase64Part(canary, precedingBytes));
  const forms = [firstPart, lastPart, ...words, hex, urlEncoded, jsonEscaped, ...base64Parts];
  return forms.map((form) => form.toLowerCase());
}

function encodeBase64Part(canary: string, precedingBytes: number): string {
  const encoded = Buffer.from(' '.repeat(precedingBytes) + canary).toString('base64');
  const bitsPerCharacter = 6;
  // The first characters also depend on the preceding bytes, and the last four on the bytes that follow.
  const changingStart = Math.ceil((precedingBytes * 8) / bitsPerCharacter);
  const changingEnd = 4;
  return encoded.slice(changingStart, -changingEnd);
}
