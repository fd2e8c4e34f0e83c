const texts = new Map<number, string>();

/** `(?,?),(?,?)` for two rows of two columns; kept, because it is asked for with every batch. */
export function placeholders(columnCount: number, rowCount: number): string {
  const name = columnCount * 1_000 + rowCount;
  let text = texts.get(name);
  if (text === undefined) {
    const row = `(${Array(columnCount).fill('?').join(',')})`;
    text = Array(rowCount).fill(row).join(',');
    texts.set(name, text);
  }
  return text;
}
