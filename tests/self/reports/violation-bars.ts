/** How far the text of a broken row stands from where its bar ends, and whether the bar marks the whole row. */
export function barsOf(rows: Element[]) {
  const bar = (one: Element) => {
    const { boxShadow } = getComputedStyle(one);
    return boxShadow.includes('inset') ? Number.parseFloat(boxShadow.split(') ')[1] ?? '0') : 0;
  };
  const leftOf = (one: Element) => one.getBoundingClientRect().left;
  return rows.map((row) => {
    const head = row.querySelector('th') as Element;
    const text = head.querySelector('code') as Element;
    return {
      space: leftOf(text) - leftOf(head) - Math.max(bar(head), bar(row)),
      // Cells stand beside each other, or below each other.
      marked: [head, row].find((one) => getComputedStyle(one).boxShadow !== 'none')?.clientHeight,
      height: row.clientHeight,
    };
  });
}
