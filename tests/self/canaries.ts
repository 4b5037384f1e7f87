import { randomOf, seed } from './soak.ts';
import type { ReportFile } from './whole-run.ts';

const times = (count: number, make: () => string) => Array.from({ length: count }, make);
let created = 0;

/** Random marks, one or more for each place, that nothing else can contain by chance. No two of a process are alike. */
export class Canaries {
  readonly #marks = new Map<string, { place: string; forms: string[] }>();
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
    const [known] = [...this.#marks].find(([, one]) => one.place === place) ?? [];
    return known ?? this.known(place, make());
  }

  /** The mark of a place inside characters that encodings change. */
  text(place: string): string {
    return `${this.of(place)} "é&<${this.of(place)}>/%`;
  }

  /** Plants an identifier or number that has its form already; a place may have many. */
  known(place: string, mark: string): string {
    this.#marks.set(mark, { place, forms: formsOf(mark) });
    return mark;
  }

  /** Every place that has a mark. */
  places(): string[] {
    return inOrder([...this.#marks.values()]);
  }

  /** Places whose marks, or long parts of them, a text holds in any encoding. */
  placesIn(text: string): string[] {
    const plain = text.toLowerCase();
    return inOrder(
      [...this.#marks.values()].filter(({ forms }) => forms.some((form) => plain.includes(form))),
    );
  }

  /** Where marks are found: `place in file`. */
  leaksIn(files: ReportFile[]): string[] {
    return files.flatMap(({ name, text }) => this.placesIn(text).map((place) => `${place} in ${name}`));
  }
}

const inOrder = (marks: { place: string }[]) => [...new Set(marks.map(({ place }) => place))].sort();

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
