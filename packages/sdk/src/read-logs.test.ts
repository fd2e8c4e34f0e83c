import type { LogLine, RunView, TaskView } from '@signalbox/protocol';
import { expect, it } from 'vitest';
import type { Backend, LogsQuery } from './backend.ts';
import { SignalboxError } from './errors.ts';
import { type LogsOptions, readLogs } from './read-logs.ts';

/** A run of 1,003 tasks, of which a view names the first thousand. */
class LargeRun {
  readonly names = Array.from({ length: 1_003 }, (_, i) => `t${i}`);
  readonly lines = this.names.map((task) => ({ task, attempt: 1, number: 0, text: task }));
  /** Called with each view; makes the run end by returning true. */
  onView: (count: number) => boolean = () => true;
  /** Thrown by the next questions. */
  readonly failures: SignalboxError[] = [];
  #views = 0;

  readonly backend = {
    run: async () => {
      this.#fail();
      const state = this.onView(this.#views++) ? 'SUCCEEDED' : 'RUNNING';
      const tasks = this.#tasks().slice(0, 1_000);
      return { id: 'r', state, tasks, nextTasks: '1000' } as unknown as RunView;
    },
    tasks: async (_id: string, cursor: string) => ({ items: this.#tasks().slice(Number(cursor)) }),
    logs: async (_id: string, { task, after = '-1.0.0' }: LogsQuery) => {
      this.#fail();
      const [index = 0, , number = 0] = after.split('.').map(Number);
      const items = this.lines.filter((line) => {
        const at = this.names.indexOf(line.task);
        return (
          (at > index || (at === index && line.number > number)) &&
          (task === undefined || line.task === task)
        );
      });
      return { items: items as unknown as LogLine[] };
    },
  } as unknown as Backend;

  async read(options: LogsOptions): Promise<string[]> {
    const found: string[] = [];
    for await (const { text } of readLogs(this.backend, 'r', options)) found.push(text);
    return found;
  }

  #fail(): void {
    const error = this.failures.shift();
    if (error !== undefined) throw error;
  }

  #tasks(): TaskView[] {
    return this.names.map((name) => ({ name, state: 'RUNNING', attempts: [{}] })) as never;
  }
}

it('a follower gets the lines of tasks behind the first thousand, each once', async () => {
  const found = await new LargeRun().read({ follow: true });
  expect(found).toHaveLength(1_003);
  expect(new Set(found).size).toBe(1_003);
  expect(await new LargeRun().read({ follow: true, task: 't1001' })).toEqual(['t1001']);
  expect(await new LargeRun().read({ follow: true, task: 't7' })).toEqual(['t7']);
});

it('a follower gets them while the run goes on', async () => {
  const run = new LargeRun();
  let isOver = false;
  run.onView = () => isOver;
  const seen: string[] = [];
  for await (const { text } of readLogs(run.backend, 'r', { follow: true })) {
    seen.push(text);
    if (text === 't1002') run.lines.push({ task: 't1001', attempt: 1, number: 1, text: 'more' });
    if (text === 'more') isOver = true;
  }
  expect(seen).toHaveLength(1_004);
});

it.each([
  ['does not answer', new SignalboxError('unreachable', 'no answer')],
  ['is not ready', new SignalboxError('unavailable', 'not ready')],
  ['does not own the run', new SignalboxError('not_owner', 'not mine')],
])('a follower waits for a node that %s', async (_, error) => {
  const run = new LargeRun();
  run.failures.push(error, error);
  run.onView = (count) => {
    if (count === 0) run.failures.push(error);
    return count > 0;
  };
  expect(await run.read({ follow: true })).toHaveLength(1_003);
  expect(run.failures).toEqual([]);
});

it('a follower is told what does not pass', async () => {
  const run = new LargeRun();
  run.failures.push(new SignalboxError('not_found', 'no such run'));
  await expect(run.read({ follow: true })).rejects.toMatchObject({ code: 'not_found' });
  run.failures.push(new SignalboxError('closed', 'closed'));
  await expect(run.read({ follow: true })).rejects.toMatchObject({ code: 'closed' });
});
