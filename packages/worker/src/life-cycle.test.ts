import { afterEach, describe, expect, it, vi } from 'vitest';
import { Assignment } from './attempt/assignment.ts';
import { ATTEMPT_EDGES, LifeCycle, WORKER_EDGES } from './life-cycle.ts';
import type { LinkEvent } from './link/link.ts';
import { buildAssign } from './testing/fake-node.ts';
import { startWorker, stopWorkers } from './testing/start-worker.ts';
import type { WorkerEvent } from './worker-options.ts';

afterEach(async () => {
  vi.restoreAllMocks();
  await stopWorkers();
});

describe('life-cycle', () => {
  it('WRK-01 shows each edge of worker and attempt', async () => {
    const edges: string[] = [];
    const onEvent = (event: WorkerEvent) => {
      if (event.kind === 'worker' || event.kind === 'attempt') {
        edges.push(`${event.kind} ${event.from} ${event.to}`);
      }
    };
    const { node, worker } = await startWorker(
      async (_input, context) => {
        await context.checkpoint.save({ at: 1 });
      },
      { onEvent },
    );
    node.send(buildAssign(1));
    await node.next('finish');
    await vi.waitFor(() => expect(worker.tracking.held).toBe(0), 20_000);
    await worker.stop();
    expect(edges).toEqual([
      'worker starting registering',
      'worker registering idle',
      'worker idle executing',
      'attempt accepted executing',
      'attempt executing checkpointing',
      'attempt checkpointing executing',
      'attempt executing completing',
      'worker executing idle',
      'attempt completing forgotten',
      'worker idle draining',
      'worker draining stopped',
    ]);
  });

  it('makes no event of an attempt where only links are watched', async () => {
    const id = vi.spyOn(Assignment.prototype, 'id', 'get');
    const links: string[] = [];
    const onLinkEvent = ({ kind }: LinkEvent) => void links.push(kind);
    const { node, worker } = await startWorker(async () => {}, { onLinkEvent });
    node.send(buildAssign(1));
    await node.next('finish');
    await vi.waitFor(() => expect(worker.tracking.held).toBe(0), 20_000);
    expect(links).toEqual(['connected', 'welcomed']);
    expect(id).not.toHaveBeenCalled();
  });

  it.each([
    ['worker', WORKER_EDGES as Record<string, readonly string[]>],
    ['attempt', ATTEMPT_EDGES as Record<string, readonly string[]>],
  ])('WRK-01 takes exactly the edges of the table of a %s', (_name, edges) => {
    const states = Object.keys(edges);
    for (const from of states) {
      for (const to of states) {
        const taken: string[] = [];
        const moved = (a: string, b: string) => void taken.push(`${a} ${b}`);
        const life = new LifeCycle<string>({ first: from, edges, moved });
        const isEdge = edges[from]!.includes(to);
        if (isEdge || from === to) life.to(to);
        else expect(() => life.to(to)).toThrow(`no transition from ${from} to ${to}`);
        expect(life.state).toBe(isEdge ? to : from);
        expect(taken).toEqual(isEdge ? [`${from} ${to}`] : []);
      }
    }
  });

  it('WRK-01 ends where it must: nothing leads out of stopped and forgotten', () => {
    expect(WORKER_EDGES.stopped).toEqual([]);
    expect(ATTEMPT_EDGES.forgotten).toEqual([]);
  });
});
