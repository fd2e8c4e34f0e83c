import type { Book } from '../model/book.ts';
import {
  type EarlierVersion,
  Schedule,
  type ScheduleSpec,
  type Skip,
  type SkipReason,
  scheduleSpec,
} from '../model/schedule.ts';

/** A schedule in a checkpoint: one line that begins like no run's line does. */
type ScheduleLine = [
  mark: 'schedule',
  tenant: string,
  name: string,
  version: number,
  decidedUpTo: number,
  firedCount: number,
  lastFiredAt: number,
  spec: ScheduleSpec,
  held: number[],
  live: number[],
  skips: [from: number, to: number, count: number | null, reason: SkipReason, at: number][],
  /** These two only where events are expected, or another follows. */
  met?: [window: number, run: number][],
  gaveUp?: Schedule['gaveUp'],
  /** Only where there are any. */
  earlier?: EarlierVersion[],
];

type RemovedLine = [mark: 'removed', key: string, version: number, decidedUpTo: number];

const START = '["schedule",';
const REMOVED = '["removed",';

export function isScheduleLine(line: string): boolean {
  return line.startsWith(START) || line.startsWith(REMOVED);
}

/** Everything about schedules, line by line. */
export function* scheduleLines(book: Book): Iterable<string> {
  for (const schedule of book.schedules.values()) yield encodeSchedule(schedule);
  for (const [key, { version, decidedUpTo }] of book.removedSchedules) {
    yield JSON.stringify(['removed', key, version, decidedUpTo] satisfies RemovedLine);
  }
}

function encodeSchedule(schedule: Schedule): string {
  const { tenant, name, version, decidedUpTo, firedCount, lastFiredAt, spec } = schedule;
  const line: ScheduleLine = [
    'schedule',
    tenant,
    name,
    version,
    decidedUpTo,
    firedCount,
    lastFiredAt,
    spec,
    schedule.held ?? [],
    [...(schedule.live ?? [])],
    (schedule.skips ?? []).map(({ from, to, count, reason, at }) => [from, to, count, reason, at]),
  ];
  const { earlier } = schedule;
  if (spec.expects !== undefined || earlier !== null) {
    line.push([...(schedule.met ?? [])], schedule.gaveUp);
  }
  if (earlier !== null) line.push(earlier);
  return JSON.stringify(line);
}

export function decodeSchedule(book: Book, text: string): void {
  if (text.startsWith(REMOVED)) {
    const [, key, version, decidedUpTo] = JSON.parse(text) as RemovedLine;
    book.removedSchedules.set(key, { version, decidedUpTo });
    return;
  }
  const line = JSON.parse(text) as ScheduleLine;
  const [, tenant, name, version, decidedUpTo, firedCount, lastFiredAt, definition] = line;
  const spec = scheduleSpec(definition);
  const [held, live, skips] = [line[8], line[9], line[10]];
  const { partition } = book;
  const schedule = new Schedule({ partition, tenant, name, version, spec, decidedUpTo });
  schedule.firedCount = firedCount;
  schedule.lastFiredAt = lastFiredAt;
  if (held.length > 0) schedule.held = held;
  if (live.length > 0) schedule.live = new Set(live);
  if (skips.length > 0) schedule.skips = skips.map(toSkip);
  const [met = [], gaveUp = null, earlier = []] = [line[11], line[12], line[13]];
  if (met.length > 0) schedule.met = new Map(met);
  schedule.gaveUp = gaveUp;
  if (earlier.length > 0) schedule.earlier = earlier;
  book.addSchedule(schedule);
  for (const run of live) book.windowRuns.set(run, schedule);
}

function toSkip([from, to, count, reason, at]: ScheduleLine[10][number]): Skip {
  return { from, to, count, reason, at };
}
