import { nowMs, pass } from '../clock.ts';
import { readUsage, type Usage, usageBetween } from './usage.ts';

/** More of others than this during a measurement, and it says more about them than about the system. */
export const FOREIGN_CORES_MAX = 0.2;
/** What counts as quiet before one begins: lower, because it may rise again. */
const QUIET_CORES_MAX = 0.12;

export function isDisturbed({ foreignCores, stealCores }: Usage): boolean {
  return foreignCores + stealCores > FOREIGN_CORES_MAX;
}

/** Waits until nobody else uses the machine, or the time is over: the measurement itself then tells. */
export async function waitForQuiet({
  lookMs,
  patienceMs,
  log,
}: {
  lookMs: number;
  patienceMs: number;
  log: (line: string) => void;
}): Promise<void> {
  const endMs = nowMs() + patienceMs;
  let hasTold = false;
  for (let before = readUsage({}); nowMs() < endMs; ) {
    await pass(lookMs);
    const after = readUsage({});
    const { foreignCores, stealCores } = usageBetween(before, after);
    if (foreignCores + stealCores <= QUIET_CORES_MAX) return;
    if (!hasTold) log(`others use ${foreignCores.toFixed(2)} cores: waiting for quiet`);
    hasTold = true;
    before = after;
  }
}
