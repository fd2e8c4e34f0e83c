import { type Logger, pino } from 'pino';

export type { Logger } from 'pino';

export interface LogSettings {
  readonly level: string;
  /** One JSON document per line, or lines for people. */
  readonly format: 'json' | 'text';
  readonly write?: (text: string) => void;
}

/** The log of a process, on standard error: standard output belongs to the command. */
export function makeLog({ level, format, write = writeError }: LogSettings): Logger {
  // Words, not pino's numbers: whoever searches the log types `ERROR` (OBS-09).
  const formatters = { level: (label: string) => ({ level: label.toUpperCase() }) };
  const timestamp = pino.stdTimeFunctions.isoTime;
  const options = { level, base: null, timestamp, formatters };
  if (format === 'json') return pino(options, { write });
  return pino(options, { write: (line: string) => write(asText(line)) });
}

function writeError(text: string): void {
  process.stderr.write(text);
}

/** `12:30:01.250 warn  message  key=value …` */
function asText(line: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
  const word = String(level).toLowerCase();
  const fields = Object.entries(rest).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  const error = (err as { message?: string } | undefined)?.message;
  if (error !== undefined) fields.push(`error=${JSON.stringify(error)}`);
  const clock = String(time).slice(11, 23);
  return `${[clock, word.padEnd(5), msg ?? '', ...fields].join(' ')}\n`;
}
