// Jobs with their handlers. `signalbox apply -f` defines them, `signalbox worker --jobs` (or
// `signalbox dev --jobs`) runs them; a program can do both with `box.work(…)`.
import { job, task } from 'signalbox';

/** One task, with a policy: three tries, a second apart. */
export const thumbnail = job(
  'thumbnail',
  {
    description: 'Makes a small picture.',
    retry: { maxAttempts: 3, backoff: { type: 'fixed', delay: '1s' } },
  },
  async (input: { file: string; width: number }, { log, progress }) => {
    log.info(`making ${input.file} ${input.width} wide`);
    progress(0.5);
    return { file: input.file.replace(/(\.\w+)$/, `-${input.width}$1`) };
  },
);

/** Three tasks: two at once, then one that waits for both. */
export const album = job('album', {
  description: 'Makes two sizes of a picture, then a page of them.',
  tasks: {
    small: task(async (input: { file: string }) => `${input.file} at 100`),
    large: task(async (input: { file: string }) => `${input.file} at 1000`),
    page: task({ after: ['small', 'large'] }, async (input: { file: string }) => ({
      page: `${input.file}.html`,
    })),
  },
});
