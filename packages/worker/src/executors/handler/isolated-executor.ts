import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { AttemptContext, Executor, Result } from '../../executor.ts';
import { LongTimer } from '../../long-timer.ts';
import { siblingModule } from '../../sibling-module.ts';
import type { HandlerModule } from './handler.ts';
import { type Isolated, startProcess, startThread } from './isolated-start.ts';
import { assignWithoutPayloads } from './plain-assign.ts';
import { savedBriefly } from './saved-briefly.ts';

/** A new thread or process for every attempt, so that attempts share no state (WRK-08). */
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
      // Slightly before the grace period ends, so that the process is gone when the worker reports the end.
      kill = new LongTimer(() => isolated.kill(), graceMs * 0.9);
    };
    attempt.signal.addEventListener('abort', onAbort);
    isolated.listen({
      message: (message) => {
        switch (message.kind) {
          case 'ready': {
            // Stopped before it began: nothing in there listens to a signal yet.
            if (attempt.signal.aborted) return isolated.kill();
            const { input, checkpoint, parents, deadline } = attempt;
            const assign = assignWithoutPayloads(attempt.assign);
            isolated.send({ kind: 'run', assign, input, checkpoint, parents, deadline });
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
        // The last saved state must be sent before the result.
        void savedBriefly(saving).then(() => resolve(result ?? failure));
      },
    });
  });
}
