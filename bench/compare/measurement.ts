import { isDisturbed } from './proc/quiet.ts';
import { totalCpuSeconds, type Usage, usageBetween } from './proc/usage.ts';
import type { Instant, Session } from './session.ts';
import type { Shape } from './systems/system.ts';

/** What a stretch of time cost. */
export interface Cost {
  readonly usage: Usage;
  readonly cpuSecondsPer10k: number | null;
  readonly walBytesPerTask: number | null;
  readonly memoryMb: Readonly<Record<string, number>>;
}

/** What one shape found out about one system in one go. */
export interface Measured {
  /** By name, like `rate` or `p50Ms`. */
  readonly figures: Readonly<Record<string, number>>;
  readonly cost: Cost;
}

export interface Measurement extends Measured {
  readonly system: string;
  readonly shape: Shape;
  /** Which of the shape's sizes, where it has several. */
  readonly label: string;
  readonly round: number;
  readonly isDisturbed: boolean;
  readonly duplicates: number;
}

const PER = 10_000;

/** `tasks` is 0 where the shape is not about throughput. */
export function costBetween(params: {
  session: Session;
  before: Instant;
  after: Instant;
  tasks: number;
}): Cost {
  const { session, before, after, tasks } = params;
  const usage = usageBetween(before.usage, after.usage);
  const per = (value: number): number | null => (tasks === 0 ? null : value / tasks);
  const cpu = per(totalCpuSeconds(usage));
  const wal =
    before.walBytes === null || after.walBytes === null
      ? null
      : per(after.walBytes - before.walBytes);
  return {
    usage,
    cpuSecondsPer10k: cpu === null ? null : cpu * PER,
    walBytesPerTask: wal,
    memoryMb: session.memoryMb(),
  };
}

export function measurementOf(params: {
  session: Session;
  shape: Shape;
  label: string;
  round: number;
  measured: Measured;
  duplicates: number;
}): Measurement {
  const { session, shape, label, round, measured, duplicates } = params;
  return {
    system: session.system.name,
    shape,
    label,
    round,
    ...measured,
    isDisturbed: isDisturbed(measured.cost.usage),
    duplicates,
  };
}
