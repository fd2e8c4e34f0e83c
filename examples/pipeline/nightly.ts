// A graph: each task begins when those that it comes after have succeeded.
import { job, task } from 'signalbox';
import { warehouse } from './warehouse.ts';

export const nightly = job('nightly', {
  priority: 'P2',
  description: 'Loads the orders of a day and tells the team',
  tasks: {
    extract: task({ retry: { maxAttempts: 5 } }, (input: { day: string }) => {
      return warehouse.extract(input.day);
    }),
    check: task({ after: ['extract'] }, (input: { day: string }) => {
      return warehouse.check(input.day);
    }),
    compress: task({ after: ['extract'], command: ['gzip', '--keep', 'orders.csv'] }),
    load: task({ after: ['check', 'compress'] }, async (input: { day: string }) => {
      return { day: input.day, rows: await warehouse.load(input.day) };
    }),
  },
});
