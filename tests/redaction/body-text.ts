import { isPublic } from '../../schemas/contract/classification.ts';
import type { Schema } from '../../schemas/contract/contract.ts';
import { fieldOf } from '../../schemas/contract/nodes.ts';

/** Deeper than any schema lies, so that nothing is known of what stands there. */
const deepest = 16;

/** An object or array that is open, and what the contract says of it. */
interface Level {
  schema: Schema | undefined;
  isArray: boolean;
  /** After a key, the schema of its value. */
  next: Schema | undefined;
  /** Whether a key was read whose value is to come. */
  named: boolean;
}

/**
 * Hands over every text of a body that is not classified public: values, undeclared ones among them, and what lies
 * below them. It reads what is no JSON too, and needs no more memory for a larger body.
 * @returns how many values the body may have
 */
export function eachHiddenText(
  body: string,
  schema: Schema | undefined,
  onText: (text: string) => void,
): number {
  if (/^\s*[[{]/.test(body.slice(0, 100))) return new BodyReader(body, schema, onText).read();
  onText(body);
  return 1;
}

class BodyReader {
  readonly #text: string;
  readonly #onText: (text: string) => void;
  readonly #levels: Level[];
  #tooDeep = 0;
  #values = 0;

  constructor(text: string, schema: Schema = { properties: {} }, onText: (text: string) => void) {
    this.#text = text;
    this.#onText = onText;
    this.#levels = [{ schema: { items: schema }, isArray: true, next: undefined, named: false }];
  }

  read(): number {
    for (let place = 0; place < this.#text.length; ) place = this.#step(place);
    return this.#values;
  }

  /** Reads what begins at a place. @returns the place behind it */
  #step(place: number): number {
    const code = this.#text.charCodeAt(place);
    if (code === signs.quote) return this.#string(place);
    if (code === signs.brace || code === signs.bracket) this.#open(code === signs.bracket);
    else if (code === signs.braceEnd || code === signs.bracketEnd) this.#close();
    else if (code === signs.comma || code === signs.colon) this.#separate(code === signs.colon);
    else if (code > signs.blank) return this.#bare(place);
    return place + 1;
  }

  get #level(): Level | undefined {
    return this.#tooDeep > 0 ? undefined : this.#levels.at(-1);
  }

  #open(isArray: boolean): void {
    this.#values += 1;
    if (this.#tooDeep > 0 || this.#levels.length >= deepest) this.#tooDeep += 1;
    else this.#levels.push({ schema: this.#schema(), isArray, next: undefined, named: false });
  }

  #close(): void {
    if (this.#tooDeep > 0) this.#tooDeep -= 1;
    else if (this.#levels.length > 1) this.#levels.pop();
  }

  #separate(named: boolean): void {
    if (!named) this.#values += 1;
    if (this.#level) this.#level.named = named;
  }

  /** The schema of the value that stands here. */
  #schema(): Schema | undefined {
    return this.#level?.isArray ? this.#level.schema?.items : this.#level?.next;
  }

  #string(start: number): number {
    const end = endOfString(this.#text, start + 1);
    const level = this.#level;
    const isKey = level !== undefined && !level.isArray && !level.named;
    if (isKey) this.#key(level, decodedString(this.#text.slice(start, end)));
    else if (!isPublic(this.#schema())) this.#onText(decodedString(this.#text.slice(start, end)));
    return end;
  }

  /** A name is no value where the contract names fields; elsewhere it is part of one. */
  #key(level: Level, name: string): void {
    level.next = fieldOf(level.schema, name);
    if (!level.schema?.properties) this.#onText(name);
  }

  #bare(start: number): number {
    let end = start + 1;
    while (end < this.#text.length && isBare(this.#text.charCodeAt(end))) end += 1;
    if (!isPublic(this.#schema())) this.#onText(this.#text.slice(start, end));
    return end;
  }
}

const signs = {
  blank: 0x20,
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  bracket: 0x5b,
  bracketEnd: 0x5d,
  brace: 0x7b,
  braceEnd: 0x7d,
};
const ends = new Set(Object.values(signs));
const isBare = (code: number) => code > signs.blank && !ends.has(code);

/** The place behind the quotation mark that ends a string, or the end of the text. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start); end >= 0; end = text.indexOf('"', end + 1))
    if (!isEscaped(text, end, start)) return end + 1;
  return text.length;
}

function isEscaped(text: string, place: number, start: number): boolean {
  let first = place;
  while (first > start && text[first - 1] === '\\') first -= 1;
  return (place - first) % 2 === 1;
}

/** What a string in JSON stands for; as it is, when it is none. */
function decodedString(json: string): string {
  if (!json.includes('\\')) return json.slice(1, json.endsWith('"') ? -1 : undefined);
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}
