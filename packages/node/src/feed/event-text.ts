import { formatRunId } from '@signalbox/engine';
import { taskId } from '@signalbox/protocol';
import type { FeedEvent } from './feed.ts';

const texts = new WeakMap<FeedEvent, string>();

/** An event as server-sent text, without its id. Made once, however many watch. */
export function eventText(event: FeedEvent): string {
  let text = texts.get(event);
  if (text === undefined) {
    text = messageText(event.kind, dataOf(event));
    texts.set(event, text);
  }
  return text;
}

/** JSON holds no line break, so one `data` line carries anything. */
export function messageText(kind: string, data: unknown): string {
  return `event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`;
}

function dataOf(event: FeedEvent): object {
  const run = formatRunId(event.run);
  return {
    kind: event.kind,
    at: new Date(event.at).toISOString(),
    run,
    job: event.job,
    ...(event.task === undefined ? {} : { task: taskId(run, event.task) }),
    ...(event.attempt === undefined ? {} : { attempt: event.attempt }),
    ...(event.state === undefined ? {} : { state: event.state }),
    ...(event.detail === undefined ? {} : { detail: event.detail }),
  };
}
