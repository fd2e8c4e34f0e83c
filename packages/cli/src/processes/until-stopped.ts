import type { Terminal } from '../print/terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Resolves when the process is told to stop and `stop` is done. Told a second time it ends at once:
 * nobody should need a stronger signal to get the terminal back.
 */
export function untilStopped(terminal: Terminal, stop: () => Promise<void>): Promise<void> {
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
