/** One line of an iCalendar file: `DTSTART;VALUE=DATE:20261225`. */
export interface IcsLine {
  readonly name: string;
  readonly params: ReadonlyMap<string, string>;
  readonly value: string;
  /** Where it begins in the file, for whoever has to mend it. */
  readonly number: number;
}

export class IcsError extends Error {
  override readonly name = 'IcsError';

  constructor(message: string, line?: number) {
    super(line === undefined ? message : `line ${line}: ${message}`);
  }
}

/** Longer ones are no dates and rules any more. */
const LINE_CHARS_MAX = 10_000;

/** Takes folded lines together (RFC 5545, 3.1) and apart into name, parameters and value. */
export function* readLines(text: string): Generator<IcsLine> {
  const lines = text.replace(/^\uFEFF/, '').split(/\r\n|\n|\r/);
  for (let i = 0; i < lines.length; i++) {
    const number = i + 1;
    let line = lines[i] as string;
    while (/^[ \t]/.test(lines[i + 1] ?? '') && line.length <= LINE_CHARS_MAX) {
      line += (lines[++i] as string).slice(1);
    }
    // What is long is text for people; nothing that is read here is.
    while (/^[ \t]/.test(lines[i + 1] ?? '')) i++;
    if (line.trim() !== '') yield takeApart(line.slice(0, LINE_CHARS_MAX), number);
  }
}

function takeApart(line: string, number: number): IcsLine {
  const colon = colonOf(line);
  if (colon < 1) throw new IcsError('this is not a line of an iCalendar file', number);
  const [name = '', ...rest] = line.slice(0, colon).split(';');
  const params = new Map<string, string>();
  for (const param of rest) {
    const equals = param.indexOf('=');
    if (equals > 0) params.set(param.slice(0, equals).toUpperCase(), param.slice(equals + 1));
  }
  return { name: name.toUpperCase(), params, value: line.slice(colon + 1), number };
}

/** A parameter in quotes may hold a colon. */
function colonOf(line: string): number {
  let isQuoted = false;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === '"') isQuoted = !isQuoted;
    else if (line[i] === ':' && !isQuoted) return i;
  }
  return -1;
}
