import { AsyncLocalStorage } from 'node:async_hooks';
import { format, type InspectOptions, inspect } from 'node:util';
import type { AttemptContext } from '../executor.ts';

/**
 * Which attempt the running code belongs to, across its waits: several handlers share the process and
 * its one console. Entering it takes 0.3 µs per attempt on Node.js 24, and nothing per `await`.
 */
const current = new AsyncLocalStorage<AttemptContext>();

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
      current.getStore()?.log(stream, format(...values));
      print(...values);
    };
  }
  const dir = console.dir.bind(console);
  console.dir = (value: unknown, options?: InspectOptions): void => {
    current.getStore()?.log('stdout', inspect(value, { customInspect: false, ...options }));
    dir(value, options);
  };
}

/** Runs the code of an attempt, so that its console can be told from that of others. */
export function withConsoleOf<R>(attempt: AttemptContext, run: () => R): R {
  return current.run(attempt, run);
}
