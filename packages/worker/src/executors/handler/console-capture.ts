import { format, type InspectOptions, inspect } from 'node:util';
import { attemptScope } from './attempt-scope.ts';

/** `table`, `group`, `count`, `assert`, `trace` and `timeEnd` print through these. */
const PRINTERS = {
  log: 'stdout',
  info: 'stdout',
  debug: 'stdout',
  dirxml: 'stdout',
  warn: 'stderr',
  error: 'stderr',
} as const;

let isCaptured = false;

/**
 * From here on, what a handler in this process prints with `console` is also written to the log of its
 * task. Once per process: patching twice would write every line twice.
 */
export function captureConsole(): void {
  if (isCaptured) return;
  isCaptured = true;
  const { console } = globalThis;
  for (const [name, stream] of Object.entries(PRINTERS)) {
    const printer = name as keyof typeof PRINTERS;
    const print = console[printer].bind(console);
    console[printer] = (...values: unknown[]): void => {
      attemptScope.getStore()?.attempt.log(stream, format(...values));
      print(...values);
    };
  }
  const dir = console.dir.bind(console);
  console.dir = (value: unknown, options?: InspectOptions): void => {
    attemptScope
      .getStore()
      ?.attempt.log('stdout', inspect(value, { customInspect: false, ...options }));
    dir(value, options);
  };
}
