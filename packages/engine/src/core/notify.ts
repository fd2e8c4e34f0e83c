import { notificationDue } from '../facts/graph-facts.ts';
import type { Book } from '../model/book.ts';
import type { Run } from '../model/run.ts';
import { formatRunId, parseRunId, type RunId } from '../model/run-id.ts';
import type { RunState } from '../model/states.ts';
import type { Core } from './core.ts';

/**
 * Somebody outside is to be told. A fact of the same group as what it is about, and open until its
 * delivery is another: a crash in between delivers it again, and never loses it (DAG-27).
 */
export function notify(
  core: Core,
  run: Run,
  news: { on: 'success' | 'failure' | 'alert'; state: RunState; detail: string },
): void {
  const { notify: wanted } = run.spec.graph;
  if (!wanted[news.on]) return;
  const { partition, seq, spec } = run;
  const id = formatRunId(run);
  const book = core.bookOf(run);
  const notification = {
    id: news.on === 'alert' ? alertId(book, `${id}/alert/${core.now}`) : `${id}/end`,
    at: core.now,
    run: id,
    tenant: spec.tenant,
    job: spec.job,
    version: spec.version,
    ...news,
  };
  core.emit(book, notificationDue({ partition, seq, at: core.now, notification }), run);
  core.tell({ kind: 'notify', partition, seq, notification });
}

/** Two alerts of one moment are two: under one id the second would replace the first, and be taken for it. */
function alertId(book: Book, first: string): string {
  let id = first;
  for (let i = 2; book.notifications.has(id); i++) id = `${first}.${i}`;
  return id;
}

/** The run that a notification is about, by its id. */
export function notifiedRun(id: string): RunId | null {
  return parseRunId(id.slice(0, id.indexOf('/')));
}
