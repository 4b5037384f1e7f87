import { createRandom } from '../../../src/sweep/paging.ts';
import type { ReportFile } from '../harness/whole-run.ts';
import { seed } from '../soak.ts';

/** Minimum length of a part of a mark, in characters: the search looks up this many at each place of a text. */
const partLength = 8;

const repeat = (count: number, make: () => string) => Array.from({ length: count }, make);
let createdCount = 0;

/** Random marks, one or more for each place, that no other text contains by chance. Marks are unique within a process. */
export class Canaries {
  /** Places, keyed by mark. */
  readonly #marks = new Map<string, string>();
  /** Forms of all marks, keyed by their first characters. */
  readonly #forms = new Map<string, { place: string; form: string }[]>();
  readonly #random: () => number;

  constructor() {
    this.#random = createRandom(1_000 * seed + createdCount);
    createdCount += 1;
  }

  /** Returns the mark of a place: sixteen alternating letters and digits, which do not form a word. */
  of(place: string): string {
    return this.#mark(place, () => repeat(8, () => this.#letter() + this.below(10)).join(''));
  }

  /** Returns a mark that reads like words, which may be shown unless it is known to be a secret. */
  phrase(place: string): string {
    return this.#mark(place, () => repeat(2, () => repeat(9, () => this.#letter()).join('')).join('-'));
  }

  /** Returns a random whole number from 0 (inclusive) to `limit` (exclusive). */
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

  /** Returns the mark of a place between characters that encodings change. */
  text(place: string): string {
    return `${this.of(place)} "é&<${this.of(place)}>/%`;
  }

  /** Registers an identifier or number as a mark; a place may have many. */
  known(place: string, mark: string): string {
    for (const form of listForms(mark)) {
      const start = form.slice(0, partLength);
      if (start.length < partLength) throw new Error(`the mark of ${place} is too short to be found`);
      this.#forms.set(start, [...(this.#forms.get(start) ?? []), { place, form }]);
    }
    this.#marks.set(mark, place);
    return mark;
  }

  /** Lists every place that has a mark. */
  places(): string[] {
    return sortUnique(this.#marks.values());
  }

  /** Finds the places whose marks, or long parts of them, a text contains in any encoding. One pass for any number of marks. */
  placesIn(text: string): string[] {
    const lowerCaseText = text.toLowerCase();
    const places = new Set<string>();
    for (let index = 0; index <= lowerCaseText.length - partLength; index += 1)
      for (const { place, form } of this.#forms.get(lowerCaseText.slice(index, index + partLength)) ?? [])
        if (lowerCaseText.startsWith(form, index)) places.add(place);
    return sortUnique(places);
  }

  /** Finds marks in files, as `place in file`. */
  leaksIn(files: ReportFile[]): string[] {
    return files.flatMap(({ name, text }) => this.placesIn(text).map((place) => `${place} in ${name}`));
  }
}

const sortUnique = (places: Iterable<string>) => [...new Set(places)].sort();

/** Lists the parts and encodings in which a mark may appear, whatever text surrounds it. */
function listForms(mark: string): string[] {
  const words = /^[a-z]+-[a-z]+$/.test(mark) ? mark.split('-') : [];
  const parts = [mark.slice(0, 11), mark.slice(-11), ...words];
  const hex = Buffer.from(mark).toString('hex');
  const percent = [...mark].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  const escaped = [...mark].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');
  return [
    ...parts,
    hex,
    percent,
    escaped,
    ...[0, 1, 2].map((byteOffset) => encodeBase64Part(mark, byteOffset)),
  ].map((form) => form.toLowerCase());
}

/** Encodes a text at a byte offset as Base64, without the characters that depend on its neighbours. */
function encodeBase64Part(mark: string, byteOffset: number): string {
  const encoded = Buffer.from(' '.repeat(byteOffset) + mark).toString('base64');
  return encoded.slice(Math.ceil((byteOffset * 8) / 6), -4);
}
