import { createRandom } from '../../../src/sweep/paging.ts';
import type { ReportFile } from '../harness/whole-run.ts';
import { seed } from '../soak.ts';

/** Number of characters by which `Canaries` finds a form of a canary, such as its Base64 text. Each form has at least as many. */
const formStartLength = 8;

const repeat = (count: number, make: () => string) => Array.from({ length: count }, make);
let createdCount = 0;

/** Random texts in place of secrets or personal data, by which a test finds leaks. A canary has a label such as `API key`. */
export class Canaries {
  readonly #labelByCanary = new Map<string, string>();
  /** Encoded forms of all canaries, such as Base64, keyed by their first `formStartLength` characters. */
  readonly #formsByStart = new Map<string, { label: string; form: string }[]>();
  readonly #random: () => number;

  constructor() {
    this.#random = createRandom(1_000 * seed + createdCount);
    createdCount += 1;
  }

  /** Returns the canary with this label: sixteen alternating letters and digits, which do not look like a word. */
  of(label: string): string {
    return this.#getOrCreate(label, () => repeat(8, () => this.#letter() + this.below(10)).join(''));
  }

  /** Returns a canary that looks like two words. Reports may show such a text, unless the suite knows it as a secret. */
  phrase(label: string): string {
    return this.#getOrCreate(label, () =>
      repeat(2, () => repeat(9, () => this.#letter()).join('')).join('-'),
    );
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #letter(): string {
    return String.fromCharCode(97 + this.below(26));
  }

  #getOrCreate(label: string, create: () => string): string {
    const [canary] = [...this.#labelByCanary].find(([, otherLabel]) => otherLabel === label) ?? [];
    return canary ?? this.known(label, create());
  }

  /** Returns a text with the canary twice, and with characters that HTML, JSON or URLs encode. */
  text(label: string): string {
    return `${this.of(label)} "é&<${this.of(label)}>/%`;
  }

  /** Registers an identifier or number, which a test created itself, as a canary, and returns it. */
  known(label: string, canary: string): string {
    for (const form of listForms(canary)) {
      const start = form.slice(0, formStartLength);
      if (start.length < formStartLength) throw new Error(`the canary of ${label} is too short to be found`);
      this.#formsByStart.set(start, [...(this.#formsByStart.get(start) ?? []), { label, form }]);
    }
    this.#labelByCanary.set(canary, label);
    return canary;
  }

  labels(): string[] {
    return sortUnique(this.#labelByCanary.values());
  }

  /** Returns the labels of the canaries that a text contains: as a part or encoded (`listForms`), in any letter case. */
  labelsIn(text: string): string[] {
    const lowerCaseText = text.toLowerCase();
    const labels = new Set<string>();
    for (let index = 0; index <= lowerCaseText.length - formStartLength; index += 1) {
      const forms = this.#formsByStart.get(lowerCaseText.slice(index, index + formStartLength)) ?? [];
      for (const { label, form } of forms) if (lowerCaseText.startsWith(form, index)) labels.add(label);
    }
    return sortUnique(labels);
  }

  /** Finds canaries in files. Returns texts such as `API key in junit.xml`. */
  leaksIn(files: ReportFile[]): string[] {
    return files.flatMap(({ name, text }) => this.labelsIn(text).map((label) => `${label} in ${name}`));
  }
}

const sortUnique = (labels: Iterable<string>) => [...new Set(labels)].sort();

/** Lists the texts by which a canary is found: its first and last 11 characters, its words, and encodings such as Base64. */
function listForms(canary: string): string[] {
  const words = /^[a-z]+-[a-z]+$/.test(canary) ? canary.split('-') : [];
  const parts = [canary.slice(0, 11), canary.slice(-11), ...words];
  const hex = Buffer.from(canary).toString('hex');
  const percent = [...canary].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  const escaped = [...canary].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');
  const base64Parts = [0, 1, 2].map((byteOffset) => encodeBase64Part(canary, byteOffset));
  return [...parts, hex, percent, escaped, ...base64Parts].map((form) => form.toLowerCase());
}

/** Encodes a canary as Base64, as if `byteOffset` bytes preceded it, without the characters that depend on surrounding bytes. */
function encodeBase64Part(canary: string, byteOffset: number): string {
  const encoded = Buffer.from(' '.repeat(byteOffset) + canary).toString('base64');
  const bitsPerCharacter = 6;
  const precedingCharacters = Math.ceil((byteOffset * 8) / bitsPerCharacter);
  const lastGroupLength = 4;
  return encoded.slice(precedingCharacters, -lastGroupLength);
}
