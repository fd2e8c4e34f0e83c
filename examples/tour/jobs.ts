// One job of each kind.
import { isolated, job, PermanentError, TransientError, task } from 'signalbox';

interface Image {
  readonly url: string;
  readonly width: number;
}

export const resize = job(
  'resize',
  {
    priority: 'P0',
    retry: { maxAttempts: 5 },
    timeout: '1m',
    gracePeriod: '5s',
    resources: { slots: 2 },
    workerLabels: { disk: 'ssd' },
  },
  async (image: Image, ctx) => {
    if (image.width <= 0) throw new PermanentError(`no image is ${image.width} wide`);
    if (ctx.attempt > 3) throw new TransientError('come back later', { retryAfter: '1m' });
    return { url: `${image.url}?w=${image.width}`, by: ctx.attemptId };
  },
);

export const tick = job('tick', () => new Date().toISOString());

export const backup = job('backup', { command: ['pg_dump', '--format=custom', 'shop'] });

export const ping = job('ping', {
  http: { url: 'https://example.com/ping', method: 'POST', timeout: '5s' },
  retry: { maxAttempts: 3 },
});

export const report = job('report', {
  priority: 'P2',
  tasks: {
    sales: task((input: { day: string }, ctx) => ctx.log.info('read', { day: input.day })),
    costs: task({ retry: { maxAttempts: 2 } }, (input: { day: string }) => input.day),
    mail: task({ after: ['sales', 'costs'] }, (input: { day: string; to: string }) => {
      return { sentTo: input.to };
    }),
  },
});

export const thumbnail = job(
  'thumbnail',
  isolated<typeof import('./thumbnail.ts').thumbnail>(new URL('./thumbnail.ts', import.meta.url), {
    export: 'thumbnail',
    isolation: 'process',
  }),
);
