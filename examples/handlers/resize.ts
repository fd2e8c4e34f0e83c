// A handler with its context.
import { job } from 'signalbox';

export const resize = job('resize', async (input: { url: string }, ctx) => {
  ctx.log.info('started', { url: input.url, attempt: ctx.attempt });
  return { width: 640 };
});
