// Claims that a recorded measurement shows: a command of this repository and the page with its figures.

/** A figure that a command writes into a table of a page. */
export interface Measurement {
  /** A script of package.json. */
  readonly command: string;
  /** The page and its heading, as in a link: `docs/performance.md#core`. */
  readonly section: string;
  /** The first cell of the figure's line. Its column `reached` must not be empty or `no`. */
  readonly figure: string;
}

export interface MeasurementSources {
  readonly scripts: Readonly<Record<string, string>>;
  /** The text of a page below the root of the repository; null if there is none. */
  readPage(path: string): string | null;
}

/** What is wrong with a measurement; null if its figure is recorded and reached. */
export function measurementProblem(
  { command, section, figure }: Measurement,
  { scripts, readPage }: MeasurementSources,
): string | null {
  if (scripts[command] === undefined) return `package.json has no script ${command}`;
  const [path = '', anchor = ''] = section.split('#');
  const page = readPage(path);
  if (page === null) return `there is no page ${path}`;
  const lines = sectionLines(page, anchor);
  if (lines === null) return `${path} has no heading #${anchor}`;
  if (!lines.some((line) => line.includes(`npm run ${command}`))) {
    return `${section} does not name npm run ${command}`;
  }
  const reached = reachedCell(lines, figure);
  if (reached === null) return `${section} has no figure "${figure}"`;
  return /^(yes|must|aim)$/.test(reached) ? null : `${section}: "${figure}" is not reached`;
}

/** As GitHub makes the anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

/** From the heading up to the next of its level or above; null if there is no such heading. */
function sectionLines(page: string, anchor: string): string[] | null {
  const lines = page.split('\n');
  const levelOf = (line: string): number => /^(#+) /.exec(line)?.[1]?.length ?? 0;
  const start = lines.findIndex(
    (line) => levelOf(line) > 0 && anchorOf(line.replace(/^#+ /, '')) === anchor,
  );
  if (start < 0) return null;
  const level = levelOf(lines[start] ?? '');
  const length = lines.slice(start + 1).findIndex((line) => {
    const other = levelOf(line);
    return other > 0 && other <= level;
  });
  return length < 0 ? lines.slice(start) : lines.slice(start, start + 1 + length);
}

/** The cell `reached` of a figure's line, by the header of its table; null if there is no such line. */
function reachedCell(lines: readonly string[], figure: string): string | null {
  let column = -1;
  for (const line of lines) {
    if (!line.startsWith('|')) continue;
    const cells = line.split('|').map((cell) => cell.trim());
    if (cells[1] === 'figure') column = cells.indexOf('reached');
    else if (cells[1] === figure && column > 0) return cells[column] ?? '';
  }
  return null;
}
