import { isTerminalRun } from '@signalbox/engine';
import { REPLICA_AGE_MS, replicasOf } from '../replica/partition-replicas.ts';
import { eventText, messageText } from './event-text.ts';
import type { Position } from './positions.ts';
import { replay, TooOld } from './replay.ts';
import { LINES_OVERLAP_MS, newLines } from './run-lines.ts';
import { formatRunPosition, parseRunPosition } from './run-position.ts';
import type { RunStreamParams } from './run-stream.ts';
import type { SentLines } from './sent-lines.ts';
import { SlowGuard } from './sink.ts';
import { REAL_TIMERS } from './timers.ts';

/** Longer than an owner keeps lines before it stores them. */
const LAST_LINES_MS = 500;

/**
 * Streams a run that another node owns. This node receives no events of it, so it polls the journal and the stored
 * log lines. Ids are the same on all nodes: a client may resume on any of them.
 */
export async function streamReplicaRun(params: RunStreamParams): Promise<SlowGuard> {
  const { context, run, lastEventId, sink } = params;
  const { partition } = run;
  const { timers = REAL_TIMERS } = context;
  const stop = new AbortController();
  const { from, lines } = parseRunPosition(lastEventId, partition);
  const { seq } = await replicasOf(context.loop, context.store).read(partition);
  const view = await params.view();
  const following = new Following(params, { at: from ?? { seq, index: null }, lines });
  const guard = new SlowGuard({
    sink,
    beat: () => following.idLine(),
    onClose: () => stop.abort(),
    timers,
  });
  if (from === undefined) {
    lines.clear();
    // Not an id of this run's stream: what the client has seen is unknown.
    const reset = lastEventId === undefined ? '' : messageText('reset', {});
    guard.write(`${following.idLine()}${reset}${messageText('state', view)}`);
  }
  following.isOver = isTerminalRun(view.state);
  const follow = async (): Promise<void> => {
    // The view is of the store: where it shows the end, what was read of the journal may be older.
    await following.poll(guard, following.isOver ? 0 : REPLICA_AGE_MS);
    while (!guard.closed && !following.isOver) {
      await timers.wait(REPLICA_AGE_MS, stop.signal);
      await following.poll(guard);
    }
    // The owner stores lines behind the commit of the end.
    await timers.wait(LAST_LINES_MS, stop.signal);
    await following.sendLines(guard);
    guard.write(messageText('end', {}));
    guard.end();
  };
  // A client that is cut off comes back with the last id that it saw.
  follow().catch(() => guard.close());
  return guard;
}

class Following {
  readonly #p: RunStreamParams;
  #at: Position;
  /** Lines that may be found again, with their times. */
  readonly #found = new Map<string, number>();
  readonly #lines: SentLines;
  isOver = false;

  constructor(params: RunStreamParams, from: { at: Position; lines: SentLines }) {
    this.#p = params;
    this.#at = from.at;
    this.#lines = from.lines;
  }

  idLine(): string {
    return `id: ${formatRunPosition(this.#p.run.partition, this.#at, this.#lines)}\n`;
  }

  /** Sends what has come since the last look, from a reading of the journal that is this old at most. */
  async poll(guard: SlowGuard, maxAgeMs = REPLICA_AGE_MS): Promise<void> {
    const { context, tenant, run } = this.#p;
    const { partition } = run;
    const replicas = replicasOf(context.loop, context.store);
    const { seq: to } = await replicas.read(partition, maxAgeMs);
    try {
      const question = { context, tenant, run, partition, from: this.#at, to };
      for await (const event of replay(question)) {
        this.#at = { seq: event.seq, index: event.index };
        if (event.kind === 'runEnded') this.isOver = true;
        guard.write(`${this.idLine()}${eventText(event)}`);
        await guard.ready();
      }
      if (to > this.#at.seq) this.#at = { seq: to, index: null };
    } catch (error) {
      if (!(error instanceof TooOld)) throw error;
      const view = await this.#p.view();
      this.isOver = isTerminalRun(view.state);
      this.#at = { seq: to, index: null };
      this.#lines.clear();
      this.#found.clear();
      guard.write(`${this.idLine()}${messageText('reset', {})}${messageText('state', view)}`);
    }
    await this.sendLines(guard);
  }

  /**
   * Lines that have been stored since, each once. They come by task, not by time: the time moves on when
   * all have been sent, or one who is cut off in between would miss the rest.
   */
  async sendLines(guard: SlowGuard): Promise<void> {
    const { context, tenant, run, showLine } = this.#p;
    const sinceMs = this.#lines.upToMs - LINES_OVERLAP_MS;
    let upTo = this.#lines.upToMs;
    for await (const line of newLines(context, { tenant, run, sinceMs })) {
      if (guard.closed) return;
      const key = `${line.task}/${line.attempt}/${line.number}`;
      if (this.#found.has(key)) continue;
      this.#found.set(key, line.atMs);
      upTo = Math.max(upTo, line.atMs);
      if (this.#lines.has(line)) continue;
      this.#lines.add(line);
      await this.#p.learnNames?.(line.task + 1);
      guard.write(`${this.idLine()}${messageText('log', showLine(line))}`);
      await guard.ready();
    }
    this.#lines.upToMs = upTo;
    for (const [key, atMs] of this.#found) {
      if (atMs < upTo - LINES_OVERLAP_MS) this.#found.delete(key);
    }
  }
}
