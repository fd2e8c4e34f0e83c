/** The name that was probably meant: a third of the letters may be wrong. Null where none is near. */
export function nearest(typed: string, names: readonly string[]): string | null {
  let [best, least] = [null as string | null, Math.ceil(typed.length / 3)];
  for (const name of names) {
    const edits = editsBetween(typed.toLowerCase(), name.toLowerCase());
    if (edits > least || (edits === least && best !== null)) continue;
    [best, least] = [name, edits];
  }
  return best;
}

/** How many letters must be put in, taken out or changed. */
function editsBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, i) => i);
  for (const [i, letter] of [...from].entries()) {
    const next = [i + 1];
    for (const [k, other] of [...to].entries()) {
      const changed = (row[k] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(changed, (row[k + 1] ?? 0) + 1, (next[k] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
