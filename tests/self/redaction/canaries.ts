import { createRandom } from '../../../src/sweep/paging.ts';
import type { ReportFile } from '../harness/whole-run.ts';
import { seed } from '../soak.ts';

/** Length of the keys of `#forms` in characters. Each form of a mark, such as its Base64 text, is at least as long. */
const partLength = 8;

const repeat = (count: number, make: () => string) => Array.from({ length: count }, make);
let createdCount = 0;

/** Random texts ("marks") in place of secrets or personal data, by which a test finds leaks. Each belongs to a place such as `API key`. */
export class Canaries {
  readonly #marks = new Map<string, string>();
  /** Encoded forms of all marks, such as Base64, keyed by their first `partLength` characters. */
  readonly #forms = new Map<string, { place: string; form: string }[]>();
  readonly #random: () => number;

  constructor() {
    this.#random = createRandom(1_000 * seed + createdCount);
    createdCount += 1;
  }

  /** Returns a mark of a place such as `API key`: sixteen alternating letters and digits, which do not look like a word. */
  of(place: string): string {
    return this.#mark(place, () => repeat(8, () => this.#letter() + this.below(10)).join(''));
  }

  /** Returns a mark of a place that looks like two words. Reports may show such a text, unless the suite knows it as a secret. */
  phrase(place: string): string {
    return this.#mark(place, () => repeat(2, () => repeat(9, () => this.#letter()).join('')).join('-'));
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #letter(): string {
    return String.fromCharCode(97 + this.below(26));
  }

  #mark(place: string, make: () => string): string {
    const [mark] = [...this.#marks].find(([, markedPlace]) => markedPlace === place) ?? [];
    return mark ?? this.known(place, make());
  }

  /** Returns a text with the mark of a place twice, and with characters that HTML, JSON or URLs encode. */
  text(place: string): string {
    return `${this.of(place)} "é&<${this.of(place)}>/%`;
  }

  /** Registers an identifier or number, which a test created itself, as a mark of a place, and returns it. */
  known(place: string, mark: string): string {
    for (const form of listForms(mark)) {
      const start = form.slice(0, partLength);
      if (start.length < partLength) throw new Error(`the mark of ${place} is too short to be found`);
      this.#forms.set(start, [...(this.#forms.get(start) ?? []), { place, form }]);
    }
    this.#marks.set(mark, place);
    return mark;
  }

  places(): string[] {
    return sortUnique(this.#marks.values());
  }

  /** Returns the places whose mark a text contains: as a part or encoded (`listForms`), in any letter case. */
  placesIn(text: string): string[] {
    const lowerCaseText = text.toLowerCase();
    const places = new Set<string>();
    for (let index = 0; index <= lowerCaseText.length - partLength; index += 1)
      for (const { place, form } of this.#forms.get(lowerCaseText.slice(index, index + partLength)) ?? [])
        if (lowerCaseText.startsWith(form, index)) places.add(place);
    return sortUnique(places);
  }

  /** Finds marks in files. Returns texts such as `API key in junit.xml`. */
  leaksIn(files: ReportFile[]): string[] {
    return files.flatMap(({ name, text }) => this.placesIn(text).map((place) => `${place} in ${name}`));
  }
}

const sortUnique = (places: Iterable<string>) => [...new Set(places)].sort();

/** Lists the texts by which a mark is found: its first and last 11 characters, its words, and encodings such as Base64. */
function listForms(mark: string): string[] {
  const words = /^[a-z]+-[a-z]+$/.test(mark) ? mark.split('-') : [];
  const parts = [mark.slice(0, 11), mark.slice(-11), ...words];
  const hex = Buffer.from(mark).toString('hex');
  const percent = [...mark].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  const escaped = [...mark].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');
  const base64Parts = [0, 1, 2].map((byteOffset) => encodeBase64Part(mark, byteOffset));
  return [...parts, hex, percent, escaped, ...base64Parts].map((form) => form.toLowerCase());
}

/** Encodes a mark as Base64, as if `byteOffset` bytes preceded it, without the characters that depend on surrounding bytes. */
function encodeBase64Part(mark: string, byteOffset: number): string {
  const encoded = Buffer.from(' '.repeat(byteOffset) + mark).toString('base64');
  const bitsPerCharacter = 6;
  const precedingCharacters = Math.ceil((byteOffset * 8) / bitsPerCharacter);
  const lastGroupLength = 4;
  return encoded.slice(precedingCharacters, -lastGroupLength);
}
