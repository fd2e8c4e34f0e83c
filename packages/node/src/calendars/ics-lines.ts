/** One line of an iCalendar file: `DTSTART;VALUE=DATE:20261225`. */
export interface IcsLine {
  readonly name: string;
  readonly params: ReadonlyMap<string, string>;
  readonly value: string;
  /** Where it begins in the file, so that its author finds it. */
  readonly number: number;
  /** It is longer than is read. */
  readonly isCut: boolean;
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
    // What is longer is text for people, as a rule; it is refused where it is not.
    while (/^[ \t]/.test(lines[i + 1] ?? '')) i++;
    if (line.trim() !== '') yield takeApart(line, number);
  }
}

function takeApart(whole: string, number: number): IcsLine {
  const line = whole.slice(0, LINE_CHARS_MAX);
  const isCut = whole.length > LINE_CHARS_MAX;
  const colon = colonOf(line);
  if (colon < 1) throw new IcsError('not a valid iCalendar line', number);
  const [name = '', ...rest] = line.slice(0, colon).split(';');
  const params = new Map<string, string>();
  for (const param of rest) {
    const equals = param.indexOf('=');
    if (equals > 0) params.set(param.slice(0, equals).toUpperCase(), param.slice(equals + 1));
  }
  return { name: name.toUpperCase(), params, value: line.slice(colon + 1), number, isCut };
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
