import { randomOf } from '../../../src/sweep/paging.ts';
import type { ReportFile } from '../harness/whole-run.ts';
import { seed } from '../soak.ts';

/** How long a part of a mark is at least: so many characters of it are looked up at each place of a text. */
const partLength = 8;

const times = (count: number, make: () => string) => Array.from({ length: count }, make);
let created = 0;

/** Random marks, one or more for each place, that nothing else can contain by chance. No two of a process are alike. */
export class Canaries {
  /** Places by their marks. */
  readonly #marks = new Map<string, string>();
  /** Forms of all marks by how they begin. */
  readonly #forms = new Map<string, { place: string; form: string }[]>();
  readonly #random: () => number;

  constructor() {
    this.#random = randomOf(1_000 * seed + created);
    created += 1;
  }

  /** The mark of a place: sixteen letters and digits in turn, which no reader takes for a word. */
  of(place: string): string {
    return this.#mark(place, () => times(8, () => this.#letter() + this.below(10)).join(''));
  }

  /** One that reads like words, which may be shown if nobody knows them for a secret. */
  phrase(place: string): string {
    return this.#mark(place, () => times(2, () => times(9, () => this.#letter()).join('')).join('-'));
  }

  /** A random whole number from 0 on. */
  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #letter(): string {
    return String.fromCharCode(97 + this.below(26));
  }

  #mark(place: string, make: () => string): string {
    const [known] = [...this.#marks].find(([, one]) => one === place) ?? [];
    return known ?? this.known(place, make());
  }

  /** The mark of a place inside characters that encodings change. */
  text(place: string): string {
    return `${this.of(place)} "é&<${this.of(place)}>/%`;
  }

  /** Plants an identifier or number that has its form already; a place may have many. */
  known(place: string, mark: string): string {
    for (const form of formsOf(mark)) {
      const start = form.slice(0, partLength);
      if (start.length < partLength) throw new Error(`the mark of ${place} is too short to be found`);
      this.#forms.set(start, [...(this.#forms.get(start) ?? []), { place, form }]);
    }
    this.#marks.set(mark, place);
    return mark;
  }

  /** Every place that has a mark. */
  places(): string[] {
    return inOrder(this.#marks.values());
  }

  /** Places whose marks, or long parts of them, a text holds in any encoding. One pass, however many marks there are. */
  placesIn(text: string): string[] {
    const plain = text.toLowerCase();
    const found = new Set<string>();
    for (let at = 0; at <= plain.length - partLength; at += 1)
      for (const { place, form } of this.#forms.get(plain.slice(at, at + partLength)) ?? [])
        if (plain.startsWith(form, at)) found.add(place);
    return inOrder(found);
  }

  /** Where marks are found: `place in file`. */
  leaksIn(files: ReportFile[]): string[] {
    return files.flatMap(({ name, text }) => this.placesIn(text).map((place) => `${place} in ${name}`));
  }
}

const inOrder = (places: Iterable<string>) => [...new Set(places)].sort();

/** What of a mark would be seen with any text around it and in any encoding. */
function formsOf(mark: string): string[] {
  const cut = /^[a-z]+-[a-z]+$/.test(mark) ? mark.split('-') : [];
  const parts = [mark.slice(0, 11), mark.slice(-11), ...cut];
  const hex = Buffer.from(mark).toString('hex');
  const percent = [...mark].map((character) => `%${character.charCodeAt(0).toString(16)}`).join('');
  const escaped = [...mark].map((character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');
  return [...parts, hex, percent, escaped, ...[0, 1, 2].map((before) => base64(mark, before))].map((form) =>
    form.toLowerCase(),
  );
}

/** Base64 of a text that stands behind some bytes, without the characters that its neighbours share in. */
function base64(mark: string, before: number): string {
  const encoded = Buffer.from(' '.repeat(before) + mark).toString('base64');
  return encoded.slice(Math.ceil((before * 8) / 6), -4);
}
