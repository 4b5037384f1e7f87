import { isObject } from '../../schemas/json.ts';
import { customersIn } from './listCustomers.ts';
import { type Argument, configured, type Session } from './session.ts';

/** Looks up each customer of `CUSTOMER_IDS`, and one of each shape that the list has shown (contract 4.3). */
export default async function getCustomer({ ask, answers, target }: Session): Promise<void> {
  const given = configured('CUSTOMER_IDS', target.customerIds).map((id) => ask('getCustomer', { id }));
  const found = discovered(await answers('listCustomers'));
  await Promise.all([...given, ...found.map((id) => ask('getCustomer', { id }))]);
}

function discovered(pages: Awaited<ReturnType<Session['answers']>>): Argument[] {
  const shapes = new Map<string, Argument>();
  for (const page of pages) {
    for (const [index, customer] of customersIn(page).entries()) {
      const shape = shapeOf(customer);
      if (shapes.has(shape) || !isObject(customer)) continue;
      const { uuid } = customer;
      if (typeof uuid !== 'string' || uuid === '') continue;
      const shell = `$(${page.repeat} | jq -r '.data.customers[${index}].uuid')`;
      shapes.set(shape, {
        value: uuid,
        label: `{uuid of a listed customer, shape ${shapes.size + 1}}`,
        shell,
      });
    }
  }
  return [...shapes.values()].slice(0, 40);
}

/** The fields that a record has, at every depth, with the types and short words of a vocabulary in them. */
function shapeOf(value: unknown): string {
  if (!isObject(value)) return value === null ? 'null' : typeof value;
  const fields = Object.keys(value).sort();
  return fields.map((name) => `${name}:${name === 'token_type' ? value[name] : shapeOf(value[name])}`).join();
}
