import { grow } from '../facts/fold-graph.ts';
import type { Notification } from '../facts/graph-facts.ts';
import type { Book } from '../model/book.ts';
import { eventsOf, type Growth, graphOf, type RunGraph } from '../model/graph.ts';
import type { Run } from '../model/run.ts';
import type { RunEvents } from '../model/run-events.ts';
import { fromBase64, toBase64 } from './base64.ts';

/** What a checkpoint keeps of a run that was paused or has grown. */
export type GraphLine = [
  paused: RunGraph['paused'],
  fanOutMax: number,
  growth: readonly Growth[],
  alertedAt: number,
  overdueTold: 0 | 1,
  doomed: 0 | 1,
  /** What it has heard of events; absent where it has not heard of any. */
  events?: EventsLine,
];

type EventsLine = [
  taken: readonly string[],
  kept: readonly [key: string, type: string, event: string, suits: readonly number[]][],
];

export function graphLine(graph: RunGraph, isDoomed: boolean): GraphLine {
  const { paused, fanOutMax, growth, alertedAt, overdueTold, events } = graph;
  const line: GraphLine = [
    paused,
    fanOutMax,
    growth,
    alertedAt,
    overdueTold ? 1 : 0,
    isDoomed ? 1 : 0,
  ];
  if (events !== null) line[6] = eventsLine(events);
  return line;
}

function eventsLine({ taken, kept }: RunEvents): EventsLine {
  return [
    [...taken],
    kept.map(({ key, type, event, suits }) => [key, type, toBase64(event), suits]),
  ];
}

function decodeEvents(run: Run, [taken, kept]: EventsLine): void {
  const events = eventsOf(run);
  for (const key of taken) events.taken.add(key);
  for (const [key, type, event, suits] of kept) {
    events.kept.push({ key, type, event: fromBase64(event), suits });
  }
}

/** Makes the tasks that the job version does not have; their states follow with the others'. */
export function decodeGraph(run: Run, line: GraphLine): void {
  const graph = graphOf(run);
  [graph.paused, graph.fanOutMax] = line;
  for (const growth of line[2]) grow(run, growth);
  graph.alertedAt = line[3];
  graph.overdueTold = line[4] === 1;
  run.doomed = line[5] === 1;
  if (line[6] !== undefined) decodeEvents(run, line[6]);
}

const MARK = '["notify",';

export function* notificationLines(book: Book): Iterable<string> {
  for (const notification of book.notifications.values()) {
    yield `${MARK}${JSON.stringify(notification)}]`;
  }
}

export function isNotificationLine(line: string): boolean {
  return line.startsWith(MARK);
}

export function decodeNotification(book: Book, line: string): void {
  const [, notification] = JSON.parse(line) as [string, Notification & { seq: number }];
  book.notifications.set(notification.id, notification);
}
