import { setTimeout } from 'node:timers/promises';
import { isTerminalRun } from '@signalbox/engine';
import type { LogLineRow } from '@signalbox/store';
import { FOLLOW_MS, followedBooks } from '../follow/followed-books.ts';
import { eventText, messageText } from './event-text.ts';
import { formatOne, type Position, parsePositions } from './positions.ts';
import { replay, TooOld } from './replay.ts';
import { linesSince, type RunStreamParams } from './run-stream.ts';
import { SlowGuard } from './sink.ts';

/**
 * The same stream of a run that another node owns: nobody tells this node of it, so the journal and the
 * stored log lines are looked at again and again. Ids are the same, so that a client that is cut off
 * may go on with any node.
 */
export async function streamFollowedRun(params: RunStreamParams): Promise<SlowGuard> {
  const { context, run, lastEventId, sink } = params;
  const { partition } = run;
  const stop = new AbortController();
  const [position = '', since] = lastEventId?.split('~') ?? [];
  const from = parsePositions(position)?.get(partition);
  const { seq } = await followedBooks(context.loop, context.store).follow(partition);
  const view = await params.view();
  const following = new Following(params, from ?? { seq, index: null });
  const guard = new SlowGuard({
    sink,
    beat: () => following.idLine(),
    onClose: () => stop.abort(),
  });
  following.linesUpTo = since === undefined ? 0 : Number.parseInt(since, 36);
  if (from === undefined) guard.write(`${following.idLine()}${messageText('state', view)}`);
  following.isOver = isTerminalRun(view.state);
  const follow = async (): Promise<void> => {
    await following.look(guard);
    while (!guard.closed && !following.isOver) {
      await setTimeout(FOLLOW_MS, undefined, { signal: stop.signal });
      await following.look(guard);
    }
    guard.write(messageText('end', {}));
    guard.end();
  };
  // Whoever is cut off comes back with the last id that it saw.
  follow().catch(() => guard.close());
  return guard;
}

class Following {
  readonly #p: RunStreamParams;
  #at: Position;
  readonly #lines = new Set<string>();
  linesUpTo = 0;
  isOver = false;

  constructor(params: RunStreamParams, at: Position) {
    this.#p = params;
    this.#at = at;
  }

  idLine(): string {
    const position = formatOne(this.#p.run.partition, this.#at.seq, this.#at.index);
    return `id: ${position}${this.linesUpTo === 0 ? '' : `~${this.linesUpTo.toString(36)}`}\n`;
  }

  /** Tells what has come since the last look. */
  async look(guard: SlowGuard): Promise<void> {
    const { context, tenant, run } = this.#p;
    const { partition } = run;
    const { seq: to } = await followedBooks(context.loop, context.store).follow(partition);
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
      guard.write(`${this.idLine()}${messageText('reset', {})}${messageText('state', view)}`);
    }
    for (const line of await linesSince(context, { tenant, run, sinceMs: this.linesUpTo })) {
      if (this.#isNew(line)) guard.write(messageText('log', this.#p.showLine(line)));
    }
  }

  #isNew(line: LogLineRow): boolean {
    const { task, attempt, number, atMs } = line;
    const key = `${task}/${attempt}/${number}`;
    if (this.#lines.has(key)) return false;
    // Only lines of the last instant can come again.
    if (atMs > this.linesUpTo) this.#lines.clear();
    this.#lines.add(key);
    this.linesUpTo = Math.max(this.linesUpTo, atMs);
    return true;
  }
}
