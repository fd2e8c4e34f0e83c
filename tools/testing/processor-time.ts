import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Node.js 20 has only that of the process, in which tests of other threads count. */
const usage = process.threadCpuUsage ?? process.cpuUsage;

/** Processor time that a call takes, in milliseconds: a machine that is busy with something else adds nothing. */
export function processorMs(run: () => unknown): number {
  const used = usage();
  run();
  const { user, system } = usage(used);
  return (user + system) / 1_000;
}

/** The same of a call that waits; what the thread does meanwhile counts as well. */
export async function processorMsUntil(run: () => Promise<unknown>): Promise<number> {
  const used = usage();
  await run();
  const { user, system } = usage(used);
  return (user + system) / 1_000;
}

/** The garbage of a set-up is not collected while something else is measured. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
