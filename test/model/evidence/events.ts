import { parseRunId } from '@signalbox/engine';
import type { HistoryEvent, Seen } from '../../../sim/history.ts';
import type { Dump } from '../dump.ts';
import type { History, Submitted } from '../history.ts';
import { CLOCKS_MS } from './clocks.ts';
import { opOfSubmission } from './rows.ts';

/** What the clients saw, as the simulator's observers write it. */
export function clientEvents(history: History, { runs, resolved }: Dump): HistoryEvent[] {
  const known = new Set(runs.map(({ id }) => id));
  const byOp = Map.groupBy(history.submissions, ({ input }) => opOfSubmission(input.submission));
  return [
    ...[...byOp].flatMap(([op, sent]) => submitEvents({ op, sent, known })),
    ...history.cancelled.flatMap(({ tenant, id, answeredAt: t }): HistoryEvent[] => {
      const run = parseRunId(id);
      return run === null ? [] : [{ t, kind: 'cancel.ok', tenant, id: run }];
    }),
    ...retryEvents(history, resolved),
  ];
}

function submitEvents(params: {
  op: number;
  sent: readonly Submitted[];
  known: ReadonlySet<string>;
}): HistoryEvent[] {
  const { op, sent, known } = params;
  const [first] = sent as [Submitted];
  const { tenant, job, key, unique, request } = first;
  const inputBytes = Buffer.byteLength(JSON.stringify(first.input));
  const asked = { op, tenant, job, key, unique, dueAt: 0, inputBytes };
  const events: HistoryEvent[] = sent.map((each, i) => {
    const t = each.invokedAt - CLOCKS_MS;
    if (i > 0) return { t, kind: 'submit.again', op };
    const of = request === null ? { request } : { request: request.key, place: request.place };
    return { t, kind: 'submit.invoke', ...asked, ...of };
  });
  // One that was sent several times may have become a run before it was refused.
  const isRefused = sent.every(({ answer }) => answer.kind === 'refused');
  if (isRefused) events.push({ t: first.answeredAt, kind: 'submit.fail', op });
  for (const { answer, answeredAt } of sent) {
    if (answer.kind !== 'acknowledged') continue;
    const t = answeredAt + CLOCKS_MS;
    const id = known.has(answer.id) ? parseRunId(answer.id) : null;
    const of = { op, job: answer.job };
    if (id === null) events.push({ t, kind: 'submit.inbox', ...of, alias: answer.id });
    else events.push({ t, kind: 'submit.ok', ...of, id, duplicate: !answer.created });
  }
  return events;
}

function retryEvents(history: History, resolved: Dump['resolved']): HistoryEvent[] {
  const aliases = new Map<string, string>();
  for (const [{ answer }, run] of resolved) {
    if (answer.kind === 'acknowledged' && run !== undefined) aliases.set(answer.id, run);
  }
  return history.retried.flatMap((retried): HistoryEvent[] => {
    const { tenant, of, id, created, invokedAt, answeredAt: t } = retried;
    const [old, made] = [parseRunId(aliases.get(of) ?? of), parseRunId(id)];
    if (old === null || made === null) return [];
    const duplicate = !created;
    return [{ t, kind: 'retry.ok', tenant, of: old, id: made, duplicate, invokedAt }];
  });
}

/** What readers were shown, by one node or by all of them. */
export function readEvents(
  history: History,
  { node, known, lagMs }: { node: string | null; known: ReadonlySet<string>; lagMs: number },
): HistoryEvent[] {
  return history.shown.flatMap((shown): HistoryEvent[] => {
    const id = parseRunId(shown.id);
    // One that waits in the inbox is shown under its alias.
    if (id === null || !known.has(shown.id)) return [];
    if (node !== null && shown.node !== node) return [];
    const { tenant, invokedAt, answeredAt: t, state, endedAt, tasks } = shown;
    const endedAtMs = endedAt === null ? null : Date.parse(endedAt);
    const view = { state: state as Seen['state'], endedAtMs, tasks };
    return [{ t, kind: 'read.ok', invokedAt, tenant, id, view, stale: false, lagMs }];
  });
}
