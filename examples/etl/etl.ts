// A pipeline: what a task gives flows into those that come after it, and the compiler watches.
import { type Pipeline, pipeline } from 'signalbox';
import { archive } from './archive.ts';

export const etl = pipeline(
  'etl',
  { failurePolicy: 'SKIP_FAILED', description: 'Converts the files of a day and adds them up' },
  (p: Pipeline<{ day: string }>) => {
    const list = p.task('list', ({ day }) => archive.list(day));
    const convert = p.fanOut(
      'convert',
      {
        from: list.output.files,
        retry: { maxAttempts: 3, backoff: { type: 'fixed', delay: '1s' } },
      },
      ({ item }) => archive.convert(item),
    );
    return p.task('load', { inputs: { parts: convert, day: p.input.day } }, ({ parts, day }) => ({
      day,
      rows: parts.results.reduce((sum, { output }) => sum + output.rows, 0),
      missing: parts.failures.map(({ task }) => task),
    }));
  },
);
