// A long task: it says how far it is, saves where it was, and stops when it is told to.
import { type HandlerContext, job } from 'signalbox';

interface Source {
  readonly rows: number;
}

export const target = {
  async insert(_from: number, _to: number): Promise<void> {},
};

const CHUNK = 1_000;

export const importRows = job(
  'import-rows',
  { timeout: '1h', gracePeriod: '10s', retry: { maxAttempts: 10 } },
  async (input: Source, ctx: HandlerContext) => {
    // What an earlier attempt saved; nothing for the first.
    let { next } = ctx.checkpoint.load<{ next: number }>() ?? { next: 0 };
    while (next < input.rows) {
      // Cancelled, timed out, or its worker is about to stop.
      ctx.signal.throwIfAborted();
      const to = Math.min(next + CHUNK, input.rows);
      await target.insert(next, to);
      next = to;
      await ctx.checkpoint.save({ next });
      ctx.progress(next / input.rows);
    }
    return { imported: next, attempts: ctx.attempt };
  },
);
