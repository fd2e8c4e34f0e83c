import type { AttemptContext } from '../../executor.ts';
import type { HandlerLog } from './handler.ts';

/** Writes lines of JSON to the log of the attempt. Its functions need no `this`. */
export function handlerLog(attempt: AttemptContext): HandlerLog {
  const at =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      attempt.log('log', line({ level, message, ...fields }));
    };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/** A field that has no JSON, as a cycle or a BigInt, must not fail the task that logs it. */
function line(entry: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(entry);
  } catch {
    const { level, message } = entry;
    return JSON.stringify({ level, message: String(message), fields: 'not JSON' });
  }
}
