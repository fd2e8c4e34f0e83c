import type { Executor } from '../../executor.ts';
import type { Handler, HandlerModule } from './handler.ts';
import { isolatedExecutor } from './isolated-executor.ts';
import { runHandler } from './run-handler.ts';

/** One executor for every handler: `handler:<name>`. */
export function handlerExecutors(
  handlers: Readonly<Record<string, Handler | HandlerModule>>,
): Executor[] {
  return Object.entries(handlers).map(([name, handler]) =>
    typeof handler === 'function'
      ? inProcessExecutor(`handler:${name}`, handler)
      : isolatedExecutor(`handler:${name}`, handler),
  );
}

/**
 * Runs the handler on the worker's own event loop: no start-up cost, and nothing that could stop
 * it by force. One that ignores its signal keeps its slot until it returns.
 */
function inProcessExecutor(name: string, handler: Handler): Executor {
  return { name, run: (attempt) => runHandler(handler, attempt) };
}
