/** The rows of the first table below a heading of a markdown page, without header and rule. */
export function markdownTable(page: string, heading: string): string[][] {
  const lines = page.split('\n');
  const start = lines.indexOf(`## ${heading}`);
  if (start < 0) throw new Error(`the page has no heading "${heading}"`);
  const rows: string[][] = [];
  for (const line of lines.slice(start + 1)) {
    if (line.startsWith('#')) break;
    if (line.startsWith('|')) rows.push(cells(line));
    else if (rows.length > 0) break;
  }
  if (rows.length < 3) throw new Error(`there is no table below "${heading}"`);
  return rows.slice(2);
}

function cells(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
