import type { Terminal } from '../print/terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

let isRunning = false;

/** Whether this process is a node or a worker, which ends only when it is told to. */
export function isRunningUntilStopped(): boolean {
  return isRunning;
}

/**
 * Resolves when the process is told to stop and `stop` is done. Told a second time it ends at once:
 * nobody should need a stronger signal to get the terminal back.
 */
export function untilStopped(terminal: Terminal, stop: () => Promise<void>): Promise<void> {
  isRunning = true;
  return new Promise((resolve, reject) => {
    let isStopping = false;
    const told = () => {
      if (isStopping) process.exit(130);
      isStopping = true;
      terminal.note('stopping; once more stops at once');
      stop().then(resolve, reject);
    };
    for (const signal of SIGNALS) process.on(signal, told);
  });
}
