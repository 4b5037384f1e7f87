import type { Contract, Operation, Parameter } from '../../schemas/contract/contract.ts';
import { judge } from '../../schemas/judge/judge.ts';
import type { Exchange } from '../../schemas/judge/judgement.ts';
import { exchangeOf } from '../../tests/traffic/judge-entry.ts';
import type { ExchangeEntry } from '../../tests/traffic/recorded-entry.ts';
import { type FindRequest, requestFinder } from '../../tests/traffic/recorded-request.ts';
import { fewest } from './set-cover.ts';

/** Different sets of places that are kept of one variable; beyond them, only what shows something new. */
const maxKept = 5_000;

/** What a variable can hold, in any shell and in `.env`. */
const writable = /^[\w.:@~-]+$/;

/** Chooses, of the identifiers of recorded lookups, the fewest that show all that the lookups have shown. */
export class IdentifierCover {
  readonly #find: FindRequest;
  /** For each variable, an identifier by what its lookup has shown. */
  readonly #shown = new Map<string, Map<string, string>>();
  readonly #seen = new Set<string>();
  readonly #unwritable = new Set<string>();
  unwritable = 0;

  constructor({ operations }: Contract, baseUrl: string | undefined) {
    this.#find = requestFinder(operations, baseUrl);
    for (const { variable } of operations.flatMap(identifiersOf)) this.#shown.set(variable, new Map());
  }

  readonly findRoute: FindRequest = (url) => this.#find(url);

  take(entry: ExchangeEntry): void {
    const request = this.#find(new URL(entry.url));
    if (!request?.lookup) return;
    const exchange = exchangeOf(request, entry);
    if (typeof exchange === 'string') return;
    const places = placesOf(exchange);
    for (const { parameter, variable } of identifiersOf(exchange.operation))
      this.#keep(variable, exchange.parameters[parameter.name], places);
  }

  #keep(variable: string, identifier: string | undefined, places: string): void {
    const known = this.#shown.get(variable);
    if (identifier === undefined || places === '' || !known || known.has(places)) return;
    if (!writable.test(identifier)) this.#leaveOut(variable);
    else if (this.#showsNew(variable, places) || known.size < maxKept) known.set(places, identifier);
  }

  #showsNew(variable: string, places: string): boolean {
    const before = this.#seen.size;
    for (const place of places.split('\n')) this.#seen.add(`${variable} ${place}`);
    return this.#seen.size > before;
  }

  #leaveOut(variable: string): void {
    this.unwritable += 1;
    this.#unwritable.add(variable);
  }

  /** Whether lookups were left out, since the variable cannot hold their identifiers. */
  isUnwritable = (variable: string): boolean => this.#unwritable.has(variable);

  /** The identifiers of each variable, in the order in which they were chosen. */
  chosen(): [variable: string, identifiers: string[]][] {
    return [...this.#shown].map(([variable, shown]) => {
      const sets = [...shown].map(([places, identifier]) => ({
        name: identifier,
        places: new Set(places.split('\n')),
      }));
      return [variable, [...new Set(fewest(sets))]];
    });
  }
}

/** Schema nodes, and values of them, that a response has shown; none where it has no payload. */
function placesOf(exchange: Exchange): string {
  const { visits, states, body } = judge(exchange);
  return body === undefined ? '' : [...Object.keys(visits), ...Object.keys(states)].sort().join('\n');
}

const identifiersOf = ({ parameters }: Operation): { parameter: Parameter; variable: string }[] =>
  parameters.flatMap((parameter) => {
    const variable = parameter['x-identifiers'];
    return variable === undefined ? [] : [{ parameter, variable }];
  });
