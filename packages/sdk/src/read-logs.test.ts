import type { LogLine } from '@signalbox/protocol';
import { expect, it } from 'vitest';
import type { Backend, LogsQuery } from './backend.ts';
import { type LogsOptions, readLogs } from './read-logs.ts';

/** An ended run of 1,003 tasks with a line each, of which a view names the first thousand. */
function largeRun(): Backend {
  const names = Array.from({ length: 1_003 }, (_, i) => `t${i}`);
  const lines = names.map((task) => ({ task, attempt: 1, number: 0, text: task }));
  const logs = async (_id: string, { task, after }: LogsQuery) => {
    const behind = after === undefined ? -1 : Number(after.split('.')[0]);
    const items = lines.filter(
      (line, i) => i > behind && (task === undefined || line.task === task),
    );
    return { items: items as unknown as LogLine[] };
  };
  const tasks = names.slice(0, 1_000).map((name) => ({ name }));
  const run = async () => ({ id: 'r', state: 'SUCCEEDED', tasks, nextTasks: '1000' });
  return { logs, run } as unknown as Backend;
}

async function read(options: LogsOptions): Promise<string[]> {
  const found: string[] = [];
  for await (const { task } of readLogs(largeRun(), 'r', options)) found.push(task);
  return found;
}

it('a follower gets the lines of tasks behind the first thousand, each once', async () => {
  const found = await read({ follow: true });
  expect(found).toHaveLength(1_003);
  expect(new Set(found).size).toBe(1_003);
  expect(await read({ follow: true, task: 't1001' })).toEqual(['t1001']);
  expect(await read({ follow: true, task: 't7' })).toEqual(['t7']);
});
