import { anyInstantMs } from '@signalbox/protocol';

/** The name of a window: its schedule and its instant, `nightly_2030-01-15T02:00:00.000Z` (DAG-29). */
export function windowId(schedule: string, atMs: number): string {
  return `${schedule}_${new Date(atMs).toISOString()}`;
}

const WINDOW = /^(.{1,256})_(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z)$/s;

/** Null for what is none. Seconds may be left out, as people do. */
export function parseWindowId(text: string): { schedule: string; atMs: number } | null {
  const [, schedule = '', at = ''] = WINDOW.exec(text) ?? [];
  const atMs = anyInstantMs(at);
  return atMs === null ? null : { schedule, atMs };
}
