/** Groups items by a text: `{ 'getCard' => [request, request] }`. The groups have the order of their first items. */
export function groupBy<Item>(items: Item[], getKey: (item: Item) => string): Map<string, [Item, ...Item[]]> {
  const groups = new Map<string, [Item, ...Item[]]>();
  for (const item of items) {
    const group = groups.get(getKey(item));
    if (group) group.push(item);
    else groups.set(getKey(item), [item]);
  }
  return groups;
}
