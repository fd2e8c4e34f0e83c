import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { plainAssign } from '../../attempt/assignment.ts';
import { LongTimer } from '../../long-timer.ts';
import { siblingModule } from '../../sibling-module.ts';
import type { AttemptContext, Executor, Result } from '../executor.ts';
import type { HandlerModule } from './handler.ts';
import { type Isolated, startProcess, startThread } from './isolated-start.ts';
import { savedBriefly } from './saved-briefly.ts';

/** A new thread or process for every attempt: nothing of one is left for the next (WRK-08). */
export function isolatedExecutor(name: string, handler: HandlerModule): Executor {
  const module =
    handler.module instanceof URL || handler.module.startsWith('file:')
      ? String(handler.module)
      : pathToFileURL(path.resolve(handler.module)).href;
  const source = stub(module, handler.export ?? 'default');
  const start = handler.isolation === 'thread' ? startThread : startProcess;
  return {
    name,
    run: (attempt) => {
      const { memoryMb } = attempt.assign.request;
      return runIsolated(start({ source, memoryMb }), attempt);
    },
  };
}

/**
 * The program of the thread or process. The user's module is imported by a literal inside it, so
 * that a module which does not load fails its attempt in there and never reaches the worker.
 */
function stub(module: string, exportName: string): string {
  const main = siblingModule('isolated-main', import.meta.url).href;
  return [
    `import { serveOneAttempt } from ${JSON.stringify(main)};`,
    `serveOneAttempt({ load: () => import(${JSON.stringify(module)}), exportName: ${JSON.stringify(exportName)} });`,
  ].join('\n');
}

function runIsolated(isolated: Isolated, attempt: AttemptContext): Promise<Result> {
  return new Promise((resolve) => {
    let result: Result | null = null;
    let saving = Promise.resolve();
    let kill: LongTimer | undefined;
    const onAbort = (): void => {
      const { graceMs } = attempt;
      isolated.send({ kind: 'abort', why: String(attempt.signal.reason), graceMs });
      // A little before the worker's own patience ends, so that it is gone when that is told.
      kill = new LongTimer(() => isolated.kill(), graceMs * 0.9);
    };
    attempt.signal.addEventListener('abort', onAbort);
    isolated.listen({
      message: (message) => {
        switch (message.kind) {
          case 'ready': {
            // Told to stop before it began: nobody listens to a signal in there yet.
            if (attempt.signal.aborted) return isolated.kill();
            const { assign, input, checkpoint, parents, deadline } = attempt;
            const bare = {
              ...plainAssign(assign),
              input: null,
              checkpoint: null,
              parents: undefined,
            };
            isolated.send({ kind: 'run', assign: bare, input, checkpoint, parents, deadline });
            return;
          }
          case 'log':
            return attempt.log(message.stream, message.text);
          case 'progress':
            // Checked where the handler called it; this may come from code that wrote to the channel itself.
            if (Number.isFinite(message.value)) attempt.progress(message.value);
            return;
          case 'checkpoint':
            saving = attempt.saveCheckpoint(message.state).catch(() => {});
            return;
          case 'extend':
            void attempt
              .extend(message.byMs)
              .catch(() => false)
              .then((granted) => {
                const { deadline } = attempt;
                isolated.send({ kind: 'extended', call: message.call, granted, deadline });
              });
            return;
          case 'done':
            result = message.result;
            isolated.finish();
            return;
        }
      },
      output: (stream, bytes) => attempt.log(stream, bytes),
      ended: (failure) => {
        kill?.cancel();
        attempt.signal.removeEventListener('abort', onAbort);
        // The state that it saved last must be on its way before its end is.
        void savedBriefly(saving).then(() => resolve(result ?? failure));
      },
    });
  });
}
