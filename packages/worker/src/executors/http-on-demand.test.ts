import { afterEach, expect, it } from 'vitest';
import { buildAssign } from '../testing/fake-node.ts';
import { startWorker, stopWorkers } from '../testing/start-worker.ts';
import { httpExecutor } from './http-on-demand.ts';

afterEach(stopWorkers);

it('refuses wrong options at once, not with the first request', () => {
  expect(() => httpExecutor({ extraBlocked: ['10.0.0.0/99'] })).toThrow();
});

it('runs the real executor, guard included', async () => {
  const { node } = await startWorker(() => 1, { executors: [httpExecutor()] });
  expect(node.all('hello')[0]?.executors).toEqual(['handler:invoice', 'http']);
  const work = { http: { url: 'https://169.254.169.254/latest/meta-data/' } };
  node.send(buildAssign(1, { executor: 'http', work }), buildAssign(2, { executor: 'http', work }));
  await node.next('finish', 2);
  for (const { result } of node.all('finish')) {
    expect(result).toMatchObject({ kind: 'failed', class: 'permanent' });
  }
});
