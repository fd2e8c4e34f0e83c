// A handler that knows which window of its schedule it runs for.
import { job } from 'signalbox';

export const nightly = job('nightly', async (_input: unknown, ctx) => {
  const day = ctx.window?.at.toISOString().slice(0, 10); // undefined for a run by hand
  ctx.log.info('loading', { day, isLate: ctx.window?.kind === 'catchUp' });
});
