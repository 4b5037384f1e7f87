import { isObject } from '../../schemas/json.ts';
import type { Target } from '../client/target.ts';
import { customersIn } from './listCustomers.ts';
import { type Argument, configured, type Session } from './session.ts';

/** Looks up each customer of `CUSTOMER_IDS`, and one of each shape that the list has shown (contract 4.3). */
export default async function getCustomer({ ask, answers, target }: Session): Promise<void> {
  const given = configured('CUSTOMER_IDS', target.customerIds).map((id) => ask('getCustomer', { id }));
  const found = discovered(await answers('listCustomers'));
  await Promise.all([...given, ...found.map((id) => ask('getCustomer', { id }))]);
}

const mostShapes = 40;

function discovered(pages: Awaited<ReturnType<Session['answers']>>): Argument[] {
  const shapes = new Map<string, Argument>();
  for (const page of pages) {
    for (const [index, customer] of customersIn(page).entries()) {
      const shape = shapeOf(customer);
      if (shapes.has(shape) || !isObject(customer)) continue;
      const { uuid } = customer;
      if (typeof uuid !== 'string' || !fitsPath(uuid)) continue;
      const shell = `$(${page.repeat} | jq -r '.data.customers[${index}].uuid')`;
      shapes.set(shape, {
        value: uuid,
        label: `{uuid of a listed customer, shape ${shapes.size + 1}}`,
        shell,
      });
    }
  }
  return [...shapes.values()].slice(0, mostShapes);
}

/** Whether a URL can carry an identifier as one step of its path: `..` or half a character cannot be sent. */
const fitsPath = (id: string) => !/^\.{0,2}$|\p{Surrogate}/u.test(id);

/** The fields of a record and its parts, no deeper than documented ones lie, with types and token types in them. */
function shapeOf(value: unknown, depth = 3): string {
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  if (depth === 0 || Array.isArray(value)) return Array.isArray(value) ? 'array' : 'object';
  const fields = Object.keys(value).sort();
  const below = (name: string) => (name === 'token_type' ? value[name] : shapeOf(value[name], depth - 1));
  return fields.map((name) => `${name}:${below(name)}`).join();
}

export const most = ({ customerIds }: Target) => customerIds.length + mostShapes;
