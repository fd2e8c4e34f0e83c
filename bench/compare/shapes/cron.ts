import { nowMs, pass } from '../clock.ts';
import { costBetween, type Measured } from '../measurement.ts';
import type { Session } from '../session.ts';
import { quantile } from '../statistics.ts';
import type { Sizes } from './sizes.ts';

const MINUTE_MS = 60_000;
/** Processor time counts from shortly before the due time. */
const BEFORE_MS = 500;
/** The calendar clock counts whole milliseconds, and a handler may start within one. */
const CLOCK_MS = 2;

/**
 * Many schedules that are due at the same time: how long after it each handler starts. A whole minute,
 * because that is as fine as the peers' schedules go; one of every day, so that it comes only once.
 */
export async function measureCron(session: Session, sizes: Sizes): Promise<Measured> {
  const dueAt = nextMinute(Date.now(), sizes.cronLeadMs);
  const dueAtMs = nowMs() + (dueAt - Date.now());
  await session.schedule(sizes.cronSchedules, cronOf(dueAt));
  await session.ensureWorking();
  const waitMs = dueAtMs - BEFORE_MS - nowMs();
  if (waitMs < 0)
    throw new Error(`${session.system.name} was not ready when its schedules were due`);
  await pass(waitMs);
  const before = await session.now();
  await session.handled(session.submitted);
  const after = await session.now();
  session.worker.tell({ kind: 'delays' });
  const { delaysMs } = await session.worker.next('delays');
  return {
    figures: latenessOf(delaysMs.map((atMs) => atMs - dueAtMs)),
    cost: costBetween({ session, before, after, tasks: sizes.cronSchedules }),
  };
}

/** The first whole minute that is at least so far ahead. */
export function nextMinute(now: number, leadMs: number): number {
  return Math.ceil((now + leadMs) / MINUTE_MS) * MINUTE_MS;
}

/** That minute of every day, in UTC. */
export function cronOf(instant: number): string {
  const date = new Date(instant);
  return `${date.getUTCMinutes()} ${date.getUTCHours()} * * *`;
}

/** A handler that starts before its time is a wrong answer, however fast. */
export function latenessOf(delaysMs: readonly number[]): Record<string, number> {
  const firstMs = quantile(delaysMs, 0);
  if (firstMs < -CLOCK_MS) throw new Error(`a handler started ${-firstMs} ms before its time`);
  return { lastMs: quantile(delaysMs, 1), firstMs, p50Ms: quantile(delaysMs, 0.5) };
}
