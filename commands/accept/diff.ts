const around = 3;

/** What changes between two texts, as one hunk of a unified diff; empty where nothing does. */
export function diffOf(file: string, before: string, after: string): string {
  const [old, now] = [before.split('\n'), after.split('\n')];
  if (before === after) return '';
  const start = commonLength(old, now);
  const end = commonLength(old.slice(start).reverse(), now.slice(start).reverse());
  const first = Math.max(0, start - around);
  const lead = old.slice(first, start);
  const tail = old.slice(old.length - end, old.length - end + around);
  const removed = old.slice(start, old.length - end);
  const added = now.slice(start, now.length - end);
  const size = (lines: string[]) => lead.length + lines.length + tail.length;
  return [
    `--- a/${file}`,
    `+++ b/${file}`,
    `@@ -${first + 1},${size(removed)} +${first + 1},${size(added)} @@`,
    ...lead.map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...tail.map((line) => ` ${line}`),
  ].join('\n');
}

/** How many lines two texts have in common at their start. */
function commonLength(one: string[], other: string[]): number {
  const differing = one.findIndex((line, index) => line !== other[index]);
  return differing < 0 ? Math.min(one.length, other.length) : differing;
}
