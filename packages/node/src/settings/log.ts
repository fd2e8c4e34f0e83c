import { pino } from 'pino';
import type { Logger } from './log-events.ts';

export { LOG_EVENTS, type LogEvent, type LogFields, type Logger } from './log-events.ts';

export interface LogSettings {
  readonly level: string;
  /** One JSON document per line, or lines for people. */
  readonly format: 'json' | 'text';
  readonly write?: (text: string) => void;
  /** On every line, as the name of a worker. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** The log of a process, on standard error: standard output belongs to the command. */
export function makeLog(settings: LogSettings): Logger {
  const { level, format, write = writeError, fields = {} } = settings;
  // Words, not pino's numbers: a person who searches the log types `ERROR`.
  const formatters = { level: (label: string) => ({ level: label.toUpperCase() }) };
  const timestamp = pino.stdTimeFunctions.isoTime;
  const options = { level, base: fields, timestamp, formatters };
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
