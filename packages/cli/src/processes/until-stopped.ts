import type { Terminal } from '../print/terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Signals this close together are one. A wrapper (npm, `tools/run.mjs`, an init in a container) forwards the
 * interrupt that the process group has already received.
 */
const SAME_SIGNAL_MS = 200;

let isRunning = false;

/** Whether this process is a node or a worker, which runs until it is stopped. */
export function isRunningUntilStopped(): boolean {
  return isRunning;
}

/** Resolves when the process has received a signal and `stop` is done. A second signal exits immediately. */
export function untilStopped(terminal: Terminal, stop: () => Promise<void>): Promise<void> {
  isRunning = true;
  return new Promise((resolve, reject) => {
    let firstAt: number | null = null;
    const stopRequested = () => {
      // A wall clock that is set back would turn a second interrupt into a repetition of the first.
      const now = performance.now();
      if (firstAt !== null) {
        if (now - firstAt >= SAME_SIGNAL_MS) process.exit(130);
        return;
      }
      firstAt = now;
      terminal.note('stopping; press Ctrl-C again to stop immediately');
      stop().then(resolve, reject);
    };
    for (const signal of SIGNALS) process.on(signal, stopRequested);
  });
}
