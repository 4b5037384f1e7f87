import { randomInt } from 'node:crypto';
import type { ReportFile } from './whole-run.ts';

const letter = () => String.fromCharCode(97 + randomInt(26));

/** Random marks, one for each place, that nothing else can contain by chance. */
export class Canaries {
  readonly #marks = new Map<string, string>();

  /** The mark of a place: sixteen letters and digits in turn, which no reader takes for a word. */
  of(place: string): string {
    const mark = this.#marks.get(place) ?? Array.from({ length: 8 }, () => letter() + randomInt(10)).join('');
    this.#marks.set(place, mark);
    return mark;
  }

  /** The mark of a place inside characters that encodings change. */
  text(place: string): string {
    return `${this.of(place)} "é&<${this.of(place)}>/%`;
  }

  /** Plants an identifier or number that has its form already. */
  known(place: string, value: string): string {
    this.#marks.set(place, value);
    return value;
  }

  /** Where marks, or long parts of them, are found in any encoding: `place in file`. */
  leaksIn(files: ReportFile[]): string[] {
    return [...this.#marks].flatMap(([place, mark]) =>
      files
        .filter(({ text }) => formsOf(mark).some((form) => text.toLowerCase().includes(form)))
        .map(({ name }) => `${place} in ${name}`),
    );
  }
}

/** What of a mark would be seen, whatever was written before and behind it, and however it was encoded. */
function formsOf(mark: string): string[] {
  const parts = [mark.slice(0, 11), mark.slice(-11)];
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
